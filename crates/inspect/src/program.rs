//! Windows programs. Format: "PE Format", Microsoft.

use std::io::{Read, Seek, SeekFrom};

use kernel::rules::FileKind;

use crate::{Fault, unlike};

const EXECUTABLE_IMAGE: u16 = 0x0002;
const DLL: u16 = 0x2000;

/// Reads the DOS header, the PE signature and the headers after it: an executable, not a library.
pub(crate) fn check(mut source: impl Read + Seek) -> Result<(), Fault> {
    let refused = || Fault::from(unlike(FileKind::WindowsApp));
    let mut dos = [0_u8; 64];
    if crate::read_up_to(&mut source, &mut dos)? < dos.len() || !dos.starts_with(b"MZ") {
        return Err(refused());
    }
    let pe_at = u32::from_le_bytes([dos[60], dos[61], dos[62], dos[63]]);
    source.seek(SeekFrom::Start(pe_at.into()))?;
    // Signature (4), file header (20), magic of the optional header (2).
    let mut pe = [0_u8; 26];
    if crate::read_up_to(&mut source, &mut pe)? < pe.len() || !pe.starts_with(b"PE\0\0") {
        return Err(refused());
    }
    let word = |at: usize| u16::from_le_bytes([pe[at], pe[at + 1]]);
    let (sections, characteristics, magic) = (word(6), word(22), word(24));
    let is_program = characteristics & EXECUTABLE_IMAGE != 0 && characteristics & DLL == 0;
    if sections == 0 || !is_program || !matches!(magic, 0x010B | 0x020B) {
        return Err(refused());
    }
    Ok(())
}
