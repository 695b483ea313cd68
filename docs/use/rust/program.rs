// A plan in Rust: constants of the header, and the loader by its C interface.
//
// SPDX-License-Identifier: MIT
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_void};

#[allow(dead_code)]
mod net {
    include!("net_plan.rs");
}

#[repr(C)]
struct Table {
    sections: [*const u8; 4],
    names_size: u64,
    numbers: [u32; 5],
}

#[repr(C)]
#[derive(Default)]
struct Entry {
    offset: u64,
    size: u64,
    start: u32,
    end: u32,
    pool: u32,
    kind: u32,
}

#[link(name = "memplan-loader", kind = "static")]
extern "C" {
    fn memplan_table_open(table: *mut Table, bytes: *const c_void, length: usize) -> c_int;
    fn memplan_table_count(table: *const Table) -> u32;
    fn memplan_table_entry(table: *const Table, i: u32, entry: *mut Entry) -> c_int;
    fn memplan_table_name(table: *const Table, i: u32) -> *const c_char;
}

fn main() {
    let bytes = std::fs::read("net.bin").unwrap();
    let mut table: Table = unsafe { std::mem::zeroed() };
    let status = unsafe { memplan_table_open(&mut table, bytes.as_ptr().cast(), bytes.len()) };
    assert_eq!(status, 0);
    assert_eq!(u64::from(unsafe { memplan_table_count(&table) }), net::TINY_N_TENSORS);
    for i in 0..unsafe { memplan_table_count(&table) } {
        let mut entry = Entry::default();
        assert_eq!(unsafe { memplan_table_entry(&table, i, &mut entry) }, 0);
        let name = unsafe { CStr::from_ptr(memplan_table_name(&table, i)) };
        assert!(entry.offset + entry.size <= net::TINY_ARENA_SIZE);
        println!("{} at {}", name.to_string_lossy(), entry.offset);
    }
}
