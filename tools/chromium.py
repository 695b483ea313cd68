# SPDX-License-Identifier: MIT
"""Headless Chromium for tests, driven over a pipe by the DevTools protocol."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--remote-debugging-pipe",
]


def program():
    """Where Chromium is; None if there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page of a browser with a profile of its own.

    A failed request of the page is kept in `requests`, an exception or an error
    on its console in `errors`.
    """

    def __init__(self, width=1400, height=1000, dark=False):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        here, there = os.pipe(), os.pipe()
        move = {3: here[0], 4: there[1]}
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{move[3]} 4>&{move[4]}', "sh",
             program(), *FLAGS, f"--user-data-dir={self.profile.name}",
             "about:blank"],
            pass_fds=(move[3], move[4]), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(here[0])
        os.close(there[1])
        self.to, self.back = here[1], there[0]
        self.buffer, self.last = b"", 0
        self.session, self.errors, self.requests = None, [], []
        self.loaded = False
        self.attach()
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme",
             "value": "dark" if dark else "light"}])

    def attach(self):
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.call(
            "Target.attachToTarget", targetId=page["targetId"],
            flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def message(self, timeout):
        import select
        end = time.monotonic() + timeout
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError("no answer of Chromium")
            data = os.read(self.back, 1 << 20)
            if not data:
                raise RuntimeError("Chromium has gone")
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def event(self, message):
        method, values = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(values["exceptionDetails"])
        elif method == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.errors.append(values["entry"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, timeout=600, **values):
        self.last += 1
        command = {"id": self.last, "method": method, "params": values}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        while True:
            message = self.message(timeout)
            if message.get("id") != self.last:
                self.event(message)
                continue
            if "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            return message["result"]

    def open(self, path):
        self.loaded = False
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while not self.loaded:
            self.event(self.message(600))

    def run(self, script):
        """The value of an expression of the page, also of a promise."""
        result = self.call("Runtime.evaluate", expression=script,
                           awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def key(self, key, text=None):
        for kind in ("keyDown", "keyUp"):
            values = {"key": key}
            if text and kind == "keyDown":
                values["text"] = text
            self.call("Input.dispatchKeyEvent", type=kind, **values)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, kind, x, y, **values):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **values)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def screenshot(self, path, whole=False):
        shot = self.call("Page.captureScreenshot", format="png",
                         captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        try:
            self.session = None
            self.call("Browser.close", timeout=5)
        except (RuntimeError, TimeoutError, OSError):
            self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.profile.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.close()
