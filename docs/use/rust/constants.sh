# SPDX-License-Identifier: MIT
#
# Turns the numbers of a generated header into Rust constants. bindgen does it
# too; the literals are plain.
sed -n 's/^#define \([A-Z_0-9a-z]*\) \([0-9]*\)u\(ll\)*$/pub const \1: u64 = \2;/p' \
	net_plan.h >net_plan.rs
