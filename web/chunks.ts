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
  // What features lend to each other, and how a page stays current: small, and many pages need most of it.
  if (isLent(id, graph)) return 'links'
  if (needs('api/use-events.ts') || needs('api/use-refresh-soon.ts')) return 'events'
  if (page === null) return null
  // A detail is a drawer without a form.
  if (needs('ui/drawer.tsx')) return 'drawer'
  return needs('features/clientUser/users/form.tsx') ? 'form' : null
}

const isFeature = (id: string) => /\/src\/features\//.test(id)

/** Whether only features have a use for a module: their own, and the server's words that they read. */
const isOfFeatures = (id: string, graph: Graph) =>
  isFeature(id) || (/\/src\/api\/words\//.test(id) && (graph.getModuleInfo(id)?.importers ?? []).every(isFeature))

const features = source('features')
const files = readdirSync(features, { recursive: true, encoding: 'utf8' })
// Nothing else of a feature is imported by others (`architecture.spec.ts`).
const lenders = files.filter((path) => /^\w+\/links\.tsx?$/.test(path))
// The page of one thing (`operation-page.tsx`) is a page beside that of its list. The sign-in stands outside the frame and
// shares with pages that do not.
const pages = files.filter((path) => /[/-]page\.tsx$/.test(path) && !path.startsWith('login/'))

const within = (paths: readonly string[], id: string, graph: Graph) =>
  paths.filter((path) => closureOf(resolve(features, path), graph).has(id))

/** Whether features lend it to each other, and several pages need it: what one alone needs comes with that. */
const isLent = (id: string, graph: Graph) =>
  within(lenders, id, graph).length > 0 && within(pages, id, graph).length > 1

/** The only page that needs a module, as the name of its chunk. */
function pageOf(id: string, graph: Graph): string | null {
  const [page, ...others] = within(pages, id, graph)
  return page && others.length === 0 ? page.replace(/\/page\.tsx$|\.tsx$/, '').replaceAll('/', '-') : null
}
