// Writes a brotli twin beside every text file of the build, so that the server never compresses at run time.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const folder = new URL('../dist/', import.meta.url).pathname
const compressible = /\.(js|css|html|svg|json|txt|webmanifest)$/

let before = 0
let after = 0
for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !compressible.test(entry.name)) continue
  const file = join(entry.parentPath, entry.name)
  const content = await readFile(file)
  const packed = brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  })
  await writeFile(`${file}.br`, packed)
  before += content.length
  after += packed.length
}
console.log(`brotli: ${(before / 1024).toFixed(0)} KiB -> ${(after / 1024).toFixed(0)} KiB`)
