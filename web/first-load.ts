import { resolve } from 'node:path'
import type { Plugin, Rolldown } from 'vite'
import { screens } from './src/api/catalogue.ts'

type Bundle = Rolldown.OutputBundle
type Chunk = Rolldown.OutputChunk

const paths = new Map<string, string>(Object.values(screens).map(({ code, path }) => [code, path]))
const source = (path: string) => resolve(import.meta.dirname, 'src', path)
const script = source('app/first-load/early.ts')

/** One screen in a `routes.ts`: its name in the catalogue, and what it loads. */
const screenIn = /\.\.\.catalogue\.(\w+),[^}]*?import\('([^']+)'\)/g

/**
 * Puts `src/app/first-load/early.ts` into index.html, with the chunks of every page: what a page needs is asked for at
 * once instead of by one module after the other. Only of a build; the development server has no chunks.
 */
export function firstLoad(): Plugin {
  /** The modules of the screens, by the paths they were built with. */
  const pages = new Map<string, string>()
  return {
    name: 'skyrack-first-load',
    apply: 'build',
    enforce: 'pre',
    buildStart() {
      this.emitFile({ type: 'chunk', id: script, name: 'early' })
    },
    async transform(code, id) {
      if (!/\/src\/features\/[^/]+\/routes\.ts$/.test(id)) return
      for (const [, name = '', module = ''] of code.matchAll(screenIn)) {
        const path = paths.get(name)
        if (!path) throw new Error(`${id}: there is no screen ${name} in src/api/catalogue.ts`)
        const found = await this.resolve(module, id)
        if (found) pages.set(path, found.id)
      }
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        if (!bundle) return html
        const chunk = chunkOf(script, bundle)
        if (chunk.imports.length > 0 || chunk.exports.length > 0) {
          throw new Error('app/first-load/early.ts is run as it is: it may neither import nor export')
        }
        delete bundle[chunk.fileName]
        const code = chunk.code.trim().replace('__CHUNKS__', () => JSON.stringify(tableOf(pages, bundle)))
        return html.replace(/(?=<script )/, () => `<script>${code}</script>\n    `)
      },
    },
  }
}

const chunksIn = (bundle: Bundle) => Object.values(bundle).filter((file): file is Chunk => file.type === 'chunk')

function chunkOf(module: string, bundle: Bundle): Chunk {
  const found = chunksIn(bundle).find(({ moduleIds }) => moduleIds.includes(module))
  if (!found) throw new Error(`${module} is in no chunk`)
  return found
}

/** Which files every page takes, besides those that index.html names itself. */
function tableOf(pages: Map<string, string>, bundle: Bundle) {
  const files: string[] = []
  const entry = closureOf(chunkOf(source('app/main.tsx'), bundle), bundle)
  const beyond = (module: string, known: Set<string>) => {
    const wanted = [...closureOf(chunkOf(module, bundle), bundle)].filter((file) => !known.has(file))
    return wanted.map((file) => {
      const name = file.replace(/^assets\/(.*)\.js$/, '$1')
      if (!files.includes(name)) files.push(name)
      return files.indexOf(name)
    })
  }
  const shell = beyond(source('app/shell/shell.tsx'), entry)
  const framed = new Set([...entry, ...closureOf(chunkOf(source('app/shell/shell.tsx'), bundle), bundle)])
  const signIn = beyond(source('features/login/page.tsx'), entry)
  return {
    shell,
    signIn,
    pages: Object.fromEntries([...pages].map(([path, module]) => [path, beyond(module, framed)])),
    files,
  }
}

/** A chunk and all that it imports before it can run. */
function closureOf(chunk: Chunk, bundle: Bundle, found = new Set<string>()): Set<string> {
  if (found.has(chunk.fileName)) return found
  found.add(chunk.fileName)
  for (const name of chunk.imports) {
    const next = bundle[name]
    if (next?.type === 'chunk') closureOf(next, bundle, found)
  }
  return found
}
