import { crc32, inflateRawSync } from 'node:zlib'

/** What a person does with a spreadsheet: puts other texts into its cells, and saves it. */
export function mended(workbook: Buffer, texts: readonly (readonly [from: string, to: string])[]): Buffer {
  const files = unpacked(workbook).map(({ name, content }) => {
    if (!name.endsWith('.xml')) return { name, content }
    const text = texts.reduce((text, [from, to]) => text.replaceAll(`>${from}<`, `>${to}<`), content.toString('utf8'))
    return { name, content: Buffer.from(text) }
  })
  return packed(files)
}

interface Packed {
  name: string
  content: Buffer
}

/** The files in a ZIP, by its directory. */
function unpacked(zip: Buffer): Packed[] {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const found: Packed[] = []
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)]
    const [nameSize, extra, comment] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)]
    const head = zip.readUInt32LE(at + 42)
    const from = head + 30 + zip.readUInt16LE(head + 26) + zip.readUInt16LE(head + 28)
    const raw = zip.subarray(from, from + size)
    const name = zip.toString('utf8', at + 46, at + 46 + nameSize)
    found.push({ name, content: method === 0 ? raw : inflateRawSync(raw) })
    at += 46 + nameSize + extra + comment
  }
  return found
}

/** A ZIP of them, without compression. */
function packed(files: readonly Packed[]): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  for (const { name, content } of files) {
    const title = Buffer.from(name)
    // Version, flags, method, time, date, checksum, sizes, and the length of the name.
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt16LE(33, 8)
    about.writeUInt32LE(crc32(content), 10)
    about.writeUInt32LE(content.length, 14)
    about.writeUInt32LE(content.length, 18)
    about.writeUInt16LE(title.length, 22)
    const entry = Buffer.alloc(14)
    entry.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), about, entry, title)
    const file = [Buffer.from('PK\x03\x04', 'latin1'), about, title, content]
    parts.push(...file)
    at += Buffer.concat(file).length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, list, end])
}
