//! Gives the memory of a guest that waits for long back to the machine.
//!
//! A guest that waits for a person does nothing for seconds or hours, and holds every page that it
//! has written to: 150 to 400 KiB, most of it equal to its image. Parking keeps the bytes that
//! differ from the image, and drops all pages. When the wait is over, the bytes are written back,
//! and the guest notices nothing.
//!
//! The kernel tells which pages differ (`/proc/self/pagemap`), and shows the image again as soon as
//! a page is dropped. Where it does not tell, guests keep their pages.

use std::fs::File;
use std::future::{Future, poll_fn};
use std::os::unix::fs::FileExt;
use std::pin::{Pin, pin};
use std::sync::OnceLock;
use std::task::Poll;
use std::time::{Duration, Instant};

use rustix::mm::{Advice, madvise};

use crate::alarm::{Alarm, Sleep};

/// Time that a guest waits before its memory is parked. Parking and returning cost about a fifth of
/// a millisecond.
const PATIENCE: Duration = Duration::from_millis(250);

/// Most pages that are parked. A guest that has written to more would hold much memory either way.
const MOST_PAGES: usize = 1024;

/// Longest memory that is looked through for such pages.
const MOST_BYTES: usize = 64 << 20;

/// Pages that are compared at once.
const BATCH: usize = 32;

/// Bytes that are compared at once; a difference is a number of whole words.
const WORD: usize = 8;

/// Equal words between two differences that are saved with them, because a new difference would
/// take as much.
const GAP: usize = 1;

/// Entry of `pagemap`: the page is in memory, or in swap.
const IN_MEMORY: u64 = 1 << 63;
const IN_SWAP: u64 = 1 << 62;

/// Entry of `pagemap`: the page is the file's own, not a copy that was written to.
const OF_FILE: u64 = 1 << 61;

/// The kernel's table of pages of this process.
struct Pages {
    table: File,
    page: usize,
}

/// The memory of a guest that is not on the stack.
pub struct Resident<'a> {
    pub(crate) guest: &'a mut [u8],
    pub(crate) alarm: &'a Alarm,
}

impl Resident<'_> {
    /// Waits for a future. If it takes long, the guest's memory is parked meanwhile.
    pub async fn during<F: Future>(self, wait: F) -> F::Output {
        let (mut wait, mut parked) = (pin!(wait), None);
        let mut patience: Option<Sleep> = None;
        let mut is_tried = false;
        let found = poll_fn(|cx| {
            if let Poll::Ready(found) = wait.as_mut().poll(cx) {
                return Poll::Ready(found);
            }
            if !is_tried {
                let asleep = || self.alarm.sleep_until(Instant::now() + PATIENCE);
                let sleep = patience.get_or_insert_with(asleep);
                if Pin::new(sleep).poll(cx).is_ready() {
                    (is_tried, patience) = (true, None);
                    parked = pages().and_then(|pages| pages.park(self.guest));
                }
            }
            Poll::Pending
        })
        .await;
        if let Some(parked) = parked {
            parked.restore(self.guest);
        }
        found
    }
}

/// The words of a guest that differ from its image: for each difference the number of equal words
/// before it, its own number of words, and the words. Most differences are short and near each
/// other, so the numbers take one byte each.
#[derive(Default)]
struct Parked {
    bytes: Vec<u8>,
    /// Address behind the last difference.
    end: usize,
}

/// Returns the table of pages, or `None` if the kernel does not show it.
fn pages() -> Option<&'static Pages> {
    static PAGES: OnceLock<Option<Pages>> = OnceLock::new();
    let open = || {
        let table = File::open("/proc/self/pagemap").ok()?;
        Some(Pages { table, page: rustix::param::page_size() })
    };
    PAGES.get_or_init(open).as_ref()
}

impl Pages {
    /// Saves what differs from the image and drops all pages. Returns `None`, and changes nothing, if
    /// the kernel does not tell or the guest has written to too many pages.
    fn park(&self, guest: &mut [u8]) -> Option<Parked> {
        let written = self.written(guest)?;
        let mut parked = Parked::default();
        let mut copy = Vec::with_capacity(BATCH * self.page);
        for (first, count) in written {
            let start = first * self.page;
            let range = guest.get_mut(start..start + count * self.page)?;
            copy.clear();
            copy.extend_from_slice(range);
            if !drop_pages(range) {
                // The pages are as they were, and so are those that come after them.
                parked.restore(guest);
                return None;
            }
            parked.save(start, &copy, range);
        }
        // Comparing has mapped pages of the image, and the guest has read others.
        drop_pages(guest);
        parked.bytes.shrink_to_fit();
        Some(parked)
    }

    /// Returns the pages that were written to as first page and number, at most [`BATCH`] together.
    fn written(&self, guest: &[u8]) -> Option<Vec<(usize, usize)>> {
        let start = guest.as_ptr().addr();
        let is_whole = start.is_multiple_of(self.page) && guest.len().is_multiple_of(self.page);
        if !is_whole || guest.len() > MOST_BYTES {
            return None;
        }
        let mut entries = vec![0; guest.len() / self.page * WORD];
        self.table.read_exact_at(&mut entries, (start / self.page * WORD) as u64).ok()?;
        let (mut ranges, mut pages) = (Vec::<(usize, usize)>::new(), 0);
        let (entries, _) = entries.as_chunks::<WORD>();
        for (page, entry) in entries.iter().enumerate() {
            let entry = u64::from_ne_bytes(*entry);
            if entry & (IN_MEMORY | IN_SWAP) == 0 || entry & OF_FILE != 0 {
                continue;
            }
            pages += 1;
            match ranges.last_mut() {
                Some((first, count)) if *first + *count == page && *count < BATCH => *count += 1,
                _ => ranges.push((page, 1)),
            }
        }
        (pages <= MOST_PAGES).then_some(ranges)
    }
}

impl Parked {
    /// Saves the words of `written` that differ from `image`.
    fn save(&mut self, start: usize, written: &[u8], image: &[u8]) {
        let (words, _) = written.as_chunks::<WORD>();
        let (images, _) = image.as_chunks::<WORD>();
        let mut at = 0;
        while at < words.len() {
            if words[at] == images[at] {
                at += 1;
                continue;
            }
            let (first, mut end) = (at, at + 1);
            at = end;
            while at < words.len() && at - end <= GAP {
                if words[at] != images[at] {
                    end = at + 1;
                }
                at += 1;
            }
            put(&mut self.bytes, (start / WORD + first) - self.end / WORD);
            put(&mut self.bytes, end - first);
            self.bytes.extend_from_slice(&written[first * WORD..end * WORD]);
            self.end = start + end * WORD;
        }
    }

    fn restore(&self, guest: &mut [u8]) {
        let (mut bytes, mut at) = (&self.bytes[..], 0);
        while let (Some(skipped), Some(len)) = (take(&mut bytes), take(&mut bytes)) {
            at += skipped * WORD;
            let (words, rest) = bytes.split_at(len * WORD);
            guest[at..at + words.len()].copy_from_slice(words);
            (at, bytes) = (at + words.len(), rest);
        }
    }
}

/// Appends a number, seven bits to a byte.
fn put(bytes: &mut Vec<u8>, mut number: usize) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off; `None` at the end.
fn take(bytes: &mut &[u8]) -> Option<usize> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift += 7;
    }
}

/// Drops the pages of a guest's memory, so that it shows its image again, and zero beyond the image.
pub(crate) fn drop_pages(guest: &mut [u8]) -> bool {
    // SAFETY: the memory is a private mapping of the pool, which the exclusive reference covers.
    // Afterwards every byte is that of the image or zero, which are valid bytes.
    #[allow(unsafe_code)]
    let dropped = unsafe { madvise(guest.as_mut_ptr().cast(), guest.len(), Advice::LinuxDontNeed) };
    dropped.is_ok()
}

#[cfg(test)]
mod tests {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};

    use super::*;

    /// Returns a private mapping of zeros.
    fn mapped(pages: &Pages, count: usize) -> &'static mut [u8] {
        let len = count * pages.page;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping that nothing else knows and that is never unmapped.
        #[allow(unsafe_code)]
        unsafe {
            let at = mmap_anonymous(std::ptr::null_mut(), len, access, MapFlags::PRIVATE);
            std::slice::from_raw_parts_mut(at.expect("a mapping").cast(), len)
        }
    }

    #[test]
    fn a_parked_guest_is_as_it_was() {
        let pages = pages().expect("the table of pages");
        let guest = mapped(pages, 100);
        for (at, byte) in
            [(0, 1), (9, 2), (31, 3), (5000, 4), (50 * 4096 + 7, 5), (100 * 4096 - 1, 6)]
        {
            guest[at] = byte;
        }
        guest[20 * 4096..70 * 4096].fill(7);
        let before = guest.to_vec();
        let parked = pages.park(guest).expect("few pages");
        assert_eq!(pages.written(guest).expect("the table"), [], "pages are left");
        assert!(guest.iter().all(|byte| *byte == 0), "the image shows");
        parked.restore(guest);
        assert_eq!(guest, before);
    }

    #[test]
    fn equal_words_are_not_kept() {
        let mut parked = Parked::default();
        let (image, mut written) = ([0; 80], [0; 80]);
        (written[3], written[17], written[79]) = (1, 2, 3);
        parked.save(4096, &written, &image);
        // Three words from word 512 on, and one after six more.
        assert_eq!((parked.bytes.len(), &parked.bytes[..3]), (3 + 24 + 2 + 8, &[0x80, 4, 3][..]));
        let mut guest = vec![0; 8192];
        parked.restore(&mut guest);
        assert_eq!(guest[4096..4176], written);
    }

    #[test]
    fn a_guest_that_has_written_much_keeps_its_pages() {
        let pages = pages().expect("the table of pages");
        let guest = mapped(pages, MOST_PAGES + 1);
        guest.fill(1);
        assert!(pages.park(guest).is_none());
        assert!(guest.iter().all(|byte| *byte == 1));
    }
}
