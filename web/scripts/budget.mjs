// What a browser loads, compressed by brotli, against the budget: the login page, the first list, and every other page.
import { readdir, readFile } from 'node:fs/promises'
import { brotliCompressSync } from 'node:zlib'

const dist = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(await readFile(new URL('.vite/manifest.json', dist), 'utf8'))

const kib = 1024
const budget = { login: 120 * kib, list: 300 * kib, more: 60 * kib }

/** The chunk that has a module: its own, or one that `chunks.ts` puts it into, which goes by its name. */
const chunkWith = (key, name) => (manifest[key] ? key : Object.keys(manifest).find((k) => manifest[k].name === name))

/** Modules that a click opens, by their folders. Whatever else a page imports dynamically counts: it may load it by itself. */
const opened = {
  'features/clientUser/logged-out': 'given-up-input',
  'features/clientUser/users': 'detail form import',
  'features/cloudPhone/list': 'act-fields coverage edit form import left of-user rules-drawer',
  'features/cloudPhone/rules': 'history-drawer of-phone rule-drawer scope-fields',
  'features/cloudPhone/sessions': 'of',
  'features/dashboard': 'layout',
  'features/device': 'place-inputs quick-act until-field',
  'features/device/address': 'frame-form host-detail host-form host-import rack-form room-form token-form',
  'features/device/bmcMapping': 'check form',
  'features/device/management': 'detail files form import metrics range tasks',
  'features/device/networkAddress': 'form',
  'features/device/operations': 'fields retry-fields',
  'features/device/shell': 'shell-drawer',
  'features/platform/address': 'form',
  'features/platform/third-party': 'detail form webhook-form',
  'features/platform/third-party/deliveries': 'detail',
  'features/staff/groups': 'compare detail form',
  'features/staff/menus': 'form',
  'features/staff/operation-log': 'detail',
  'features/staff/operators': 'detail form identity-fields password-fields',
  'features/staff/profile': 'codes-dialog enrol-dialog form link-dialog proof-fields',
  'features/storage/apps': 'form',
  'features/storage/backup': 'detail of-phone opened phone-fields set-back-fields',
  'features/storage/management': 'detail form speed-drawer',
  'features/storage/machineSystem':
    'exclude-button exclude-fields exclusions pair-fields pairs trial-fields trials version-field',
  'kit/confirm': 'confirm-dialog',
  'kit/form': 'reason-input',
  'kit/image': 'preview',
  'kit/list': 'range-dialog',
  'kit/task': 'task-drawer',
}
const byClick = new Set(
  Object.entries(opened).flatMap(([folder, names]) => names.split(' ').map((name) => `src/${folder}/${name}.tsx`)),
)
const gone = [...byClick].filter((module) => !manifest[module])
if (gone.length > 0) throw new Error(`no click opens these any more, or in no file of their own: ${gone.join(', ')}`)

/** All chunks that come with a module: itself, what it imports statically, and by itself once it runs. */
function chunksOf(key, found = new Set(), loadsByItself = () => false) {
  const chunk = manifest[key]
  if (!chunk) throw new Error(`${key} is not in the manifest; run \`npm run build\` first`)
  if (found.has(key)) return found
  found.add(key)
  const more = (chunk.dynamicImports ?? []).filter(loadsByItself)
  for (const next of [...(chunk.imports ?? []), ...more]) chunksOf(next, found, loadsByItself)
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
const boot = chunkWith('index.html', 'boot')
const shell = [boot, chunkWith('src/app/shell/shell.tsx', 'shell')]

const rows = []
const login = await sizeOf(together(boot, 'src/features/login/page.tsx'))
rows.push(['login page', login, budget.login])

// A page is in the chunk that `chunks.ts` names after its folder, or in one of its own.
const features = new URL('../src/features/', import.meta.url)
const pages = (await readdir(features, { recursive: true })).filter((path) => path.endsWith('/page.tsx'))
const chunkOfPage = (path) => chunkWith(`src/features/${path}`, path.replace('/page.tsx', '').replaceAll('/', '-'))

const frame = together(...shell)

/** What a page adds to what is there, with what it loads by itself: the frame knows the modules of all pages. */
function addedBy(page, there) {
  const all = chunksOf(page, new Set(there), (part) => !byClick.has(part))
  return new Set([...all].filter((part) => !there.has(part)))
}

const first = new Set([...frame, ...addedBy(chunkOfPage('clientUser/users/page.tsx'), frame)])
rows.push(['first list', await sizeOf(first), budget.list])

for (const path of pages.filter((path) => !path.startsWith('login/')).sort()) {
  const chunk = chunkOfPage(path)
  // No route leads to it: it is in no build.
  if (chunk) rows.push([`+ ${path}`, await sizeOf(addedBy(chunk, first)), budget.more])
}

let failed = false
for (const [name, size, limit] of rows) {
  const over = size > limit
  failed ||= over
  console.log(`${over ? 'OVER' : 'ok  '} ${(size / kib).toFixed(1).padStart(7)} KiB of ${limit / kib} KiB  ${name}`)
}
process.exitCode = failed ? 1 : 0
