// What a browser loads, compressed by brotli, against the budget: the login page, the first list, and every other page.
import { readFile } from 'node:fs/promises'
import { brotliCompressSync } from 'node:zlib'

const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(await readFile(new URL('.vite/manifest.json', dist), 'utf8'))

const kib = 1024
const budget = { login: 120 * kib, list: 300 * kib, more: 60 * kib }

/** All chunks that come with a module: itself and what it imports statically. */
function chunksOf(key, found = new Set()) {
  const chunk = manifest[key]
  if (!chunk) throw new Error(`${key} is not in the manifest; run \`npm run build\` first`)
  if (found.has(key)) return found
  found.add(key)
  for (const next of chunk.imports ?? []) chunksOf(next, found)
  return found
}

const sizes = new Map()
async function sizeOf(keys) {
  let total = 0
  for (const key of keys) {
    const { file } = manifest[key]
    if (!sizes.has(file)) sizes.set(file, brotliCompressSync(await readFile(new URL(file, dist))).length)
    total += sizes.get(file)
  }
  return total
}

const together = (...entries) => new Set(entries.flatMap((entry) => [...chunksOf(entry)]))
const shell = ['index.html', 'src/app/shell/shell.tsx']

const rows = []
const login = await sizeOf(together('index.html', 'src/features/login/page.tsx'))
rows.push(['login page', login, budget.login])

const home = 'src/features/clientUser/users/page.tsx'
const first = manifest[home] ? together(...shell, home) : together(...shell)
rows.push(['first list', await sizeOf(first), budget.list])

for (const [key, chunk] of Object.entries(manifest)) {
  if (!chunk.isDynamicEntry || !/^src\/features\/.*\/page\.tsx$/.test(key) || key.includes('/login/')) continue
  const more = [...chunksOf(key)].filter((part) => !first.has(part))
  rows.push([`+ ${key.replace('src/features/', '')}`, await sizeOf(more), budget.more])
}

let failed = false
for (const [name, size, limit] of rows) {
  const over = size > limit
  failed ||= over
  console.log(`${over ? 'OVER' : 'ok  '} ${(size / kib).toFixed(1).padStart(7)} KiB of ${limit / kib} KiB  ${name}`)
}
process.exitCode = failed ? 1 : 0
