import { readdirSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { screens } from './src/api/catalogue.ts'
import type { ListSource } from './src/kit/list/question.ts'

/*
 * What pages say about their first calls, read in their source: which list they are and what it is filtered by, and the
 * detail of its rows. It is written once, where it is used, and known before the module of the page is there.
 */

/** The module of a component, and the call that it begins with. */
interface DetailSource {
  operation: string
  module: string
}

/** One screen of the console, as its page says it. */
export interface ScreenSource {
  code: string
  /** The file of its page. */
  module: string
  list?: ListSource
  detail?: DetailSource
}

const features = resolve(import.meta.dirname, 'src/features')
const catalogue: Readonly<Record<string, { code: string }>> = screens

/** Every screen that a `routes.ts` names. */
export function screenSources(): ScreenSource[] {
  return readdirSync(features).flatMap((feature) => screensOf(resolve(features, feature, 'routes.ts')))
}

/** What follows the name of a screen in a `routes.ts`: its module. */
const loaded = /^(\w+),.*?\bimport\('([^']+)'\)/s

function screensOf(routes: string): ScreenSource[] {
  const [, ...entries] = readIfThere(routes).split('...catalogue.')
  return entries.map((entry) => {
    const [, name = '', path = ''] = loaded.exec(entry) ?? []
    const code = catalogue[name]?.code
    if (!code) throw new Error(`${routes}: no screen of the catalogue, or no page of it, in ${entry.slice(0, 40)}`)
    const module = resolve(dirname(routes), `${path}.tsx`)
    const [list, detail] = [listIn(module), detailBeside(module)]
    return { code, module, ...(list && { list }), ...(detail && { detail }) }
  })
}

/** Features that only lend something to others have no routes. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const param = /(\w+): (text|choice|id|time)Param\(/g

/** The list that a page is, if it is one. */
export function listIn(page: string, text = readFileSync(page, 'utf8')): ListSource | undefined {
  if (!/\buseList\(/.test(text)) return undefined
  const [, operation] = /\buseList\('(\w+)', filter\)/.exec(text) ?? []
  const declared = /^const filter = defineFilter\((.*?)\)$/ms.exec(text)?.[1]
  if (!operation || declared === undefined) {
    throw new Error(`${page}: a page has one list, useList('operation', filter), and const filter = defineFilter(...)`)
  }
  const params = [...declared.matchAll(param)].map(([, name, kind]) => [name, kind])
  const names = [...declared.matchAll(/(\w+): /g)]
  if (names.length !== params.length) throw new Error(`${page}: a filter has a parameter of a kind unknown here`)
  const sorts = /,\s*sorts,?\s*$/.test(declared) ? sortsOf(page, text) : ''
  return {
    operation: operation as ListSource['operation'],
    params: Object.fromEntries(params),
    sorts: [...sorts.matchAll(/'(\w+)'/g)].map(([, name = '']) => name),
  }
}

/** What a list can be sorted by, as the server's document says and the build has written down. */
function sortsOf(page: string, text: string): string {
  const [, row] = /\bsorts\b[^}]*\} from '@\/api\/words\/(\w+)'/.exec(text) ?? []
  if (!row) throw new Error(`${page}: \`sorts\` are those of '@/api/words/...'`)
  const words = readFileSync(resolve(import.meta.dirname, `src/api/words/${row}.ts`), 'utf8')
  return /^export const sorts = \[([^\]]*)\]/m.exec(words)?.[1] ?? ''
}

/** The detail that a page opens, or a list that is a part of it and stands beside it. */
function detailBeside(page: string): DetailSource | undefined {
  const folder = dirname(page)
  const sources = readdirSync(folder).filter((name) => name.endsWith('.tsx'))
  const [found, ...more] = sources.flatMap((name) => detailsIn(resolve(folder, name)))
  if (more.length > 0) throw new Error(`${folder}: the lists of one page have more than one detail`)
  return found
}

const detailIn = /^\(\s*'(\w+)',\s*\(\) => import\('([^']+)'\),?\s*\)/

/** The details that a file makes. */
export function detailsIn(file: string, text = readFileSync(file, 'utf8')): DetailSource[] {
  const [, ...made] = text.split(/\blazyDetail(?=[(<])/)
  return made.map((rest) => {
    const [, operation, path] = detailIn.exec(rest) ?? []
    if (!operation) throw new Error(`${file}: a detail is lazyDetail('operation', () => import('./module'))`)
    return { operation, module: resolve(dirname(file), `${path}.tsx`) }
  })
}
