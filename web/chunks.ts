import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'

/** What of the module graph is looked at here. */
interface Graph {
  getModuleInfo(id: string): { importedIds: readonly string[]; importers: readonly string[] } | null
}

const source = (path: string) => resolve(import.meta.dirname, 'src', path)

/** Modules that come with one: itself and all that it imports statically. */
const closures = new Map<string, Set<string>>()
function closureOf(root: string, graph: Graph): Set<string> {
  const known = closures.get(root)
  if (known) return known
  const found = new Set<string>()
  const waiting = [root]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue
    found.add(id)
    waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []))
  }
  closures.set(root, found)
  return found
}

/**
 * The chunk of a module that many pages need, by who needs it first: what every visit begins with, what the console
 * around the pages adds, what a list adds. Each is one request instead of dozens; what only some pages share is left to
 * the bundler.
 */
export function chunkOf(id: string, graph: Graph): string | null {
  const needs = (root: string) => closureOf(source(root), graph).has(id)
  const shell = needs('app/shell/shell.tsx')
  if (needs('app/main.tsx') || (shell && needs('features/login/page.tsx'))) return 'boot'
  if (shell) return 'shell'
  // The sign-in comes before all lists: what it shares with them must not bring theirs. What it brings itself is no more
  // to load for it, and one request less for them.
  if (needs('features/login/page.tsx')) return needs('features/clientUser/users/page.tsx') ? 'boot' : null
  // What only one page has comes with it, though its dialogs share it: they are opened from the page.
  const page = isOfFeatures(id, graph) ? pageOf(id, graph) : undefined
  if (page) return page
  // The first list and its form stand for all others; what its feature shares comes along, being small.
  if (needs('features/clientUser/users/page.tsx')) return 'list'
  if (page === null) return null
  return needs('features/clientUser/users/form.tsx') ? 'form' : null
}

const isFeature = (id: string) => /\/src\/features\//.test(id)

/** Whether only features have a use for a module: their own, and the server's words that they read. */
const isOfFeatures = (id: string, graph: Graph) =>
  isFeature(id) || (/\/src\/api\/words\//.test(id) && (graph.getModuleInfo(id)?.importers ?? []).every(isFeature))

const features = source('features')
// The page of one thing (`operation-page.tsx`) is a page beside that of its list. The sign-in stands outside the frame and
// shares with pages that do not.
const pages = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter(
  (path) => /[/-]page\.tsx$/.test(path) && !path.startsWith('login/'),
)

/** The only page that needs a module, as the name of its chunk. */
function pageOf(id: string, graph: Graph): string | null {
  const [page, ...others] = pages.filter((path) => closureOf(resolve(features, path), graph).has(id))
  return page && others.length === 0 ? page.replace(/\/page\.tsx$|\.tsx$/, '').replaceAll('/', '-') : null
}
