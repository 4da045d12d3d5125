import { resolve } from 'node:path'
import { build, type Plugin, type Rolldown, runnerImport } from 'vite'
import { type ScreenSource, screenSources } from './screen-sources.ts'
import type { Screen } from './src/access/screens.ts'
import { operations } from './src/api/operations.ts'

type Bundle = Rolldown.OutputBundle
type Chunk = Rolldown.OutputChunk

const source = (path: string) => resolve(import.meta.dirname, 'src', path)
const plain = { configFile: false, resolve: { alias: { '@': source('') } } } as const
const virtual = 'virtual:screen-sources'

/**
 * Gives the modules what the pages say about their first calls (`virtual:screen-sources`), and puts the script
 * `src/app/first-load/early.ts` into index.html with that and with the chunks of every page: what a page needs is asked
 * for at once instead of by one module after the other. The script is part of a build only: the development server has no
 * chunks.
 */
export function firstLoad(): Plugin {
  return {
    name: 'skyrack-first-load',
    resolveId: (id) => (id === virtual ? `\0${virtual}` : null),
    load: (id) => (id === `\0${virtual}` ? moduleOf(screenSources()) : null),
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle }) {
        if (!bundle) return html
        const code = await scriptOf(tableOf(await callsOfScreens(), bundle))
        return html.replace(/(?=<script )/, () => `<script>${code}</script>\n    `)
      },
    },
  }
}

/** The module that says what the screens begin with, by their codes. */
function moduleOf(screens: readonly ScreenSource[]): string {
  const entries = screens.map(({ code, list, detail }) => {
    const loads = detail && `{ operation: '${detail.operation}', load: () => import(${JSON.stringify(detail.module)}) }`
    return `${JSON.stringify(code)}: { list: ${JSON.stringify(list)}, detail: ${loads} }`
  })
  return `export const sources = { ${entries.join(',\n')} }`
}

/** What the routes say of each screen, and what it asks for at its plain address. */
async function callsOfScreens() {
  const { module } = await runnerImport<{ screens: Screen[] }>(source('app/registry.ts'), plain)
  return module.screens.map(({ title: _, load: __, calls, ...screen }) => ({
    ...screen,
    calls: calls?.(new URLSearchParams()) ?? [],
  }))
}

/** The script with all that it imports, as one that is run as it is. */
async function scriptOf(table: unknown): Promise<string> {
  const made = (await build({
    ...plain,
    logLevel: 'warn',
    define: { __FIRST_LOAD__: JSON.stringify(table) },
    build: {
      target: 'es2023',
      write: false,
      copyPublicDir: false,
      rolldownOptions: { input: source('app/first-load/early.ts'), output: { format: 'iife' } },
    },
  })) as Rolldown.RolldownOutput
  return made.output[0].code.trim()
}

const chunksIn = (bundle: Bundle) => Object.values(bundle).filter((file): file is Chunk => file.type === 'chunk')

function chunkOf(module: string, bundle: Bundle): Chunk {
  const found = chunksIn(bundle).find(({ moduleIds }) => moduleIds.includes(module))
  if (!found) throw new Error(`${module} is in no chunk`)
  return found
}

type Told = Awaited<ReturnType<typeof callsOfScreens>>

/** What the script knows: the screens, their calls, and which files each takes besides those that index.html names. */
function tableOf(told: Told, bundle: Bundle) {
  const sources = new Map(screenSources().map((each) => [each.code, each]))
  const files: string[] = []
  const entry = closureOf(chunkOf(source('app/main.tsx'), bundle), bundle)
  const framed = new Set([...entry, ...closureOf(chunkOf(source('app/shell/shell.tsx'), bundle), bundle)])
  const beyond = (module: string, known: Set<string>) =>
    [...closureOf(chunkOf(module, bundle), bundle)].flatMap((file) => {
      if (known.has(file)) return []
      const name = file.replace(/^assets\/(.*)\.js$/, '$1')
      if (!files.includes(name)) files.push(name)
      return [files.indexOf(name)]
    })
  const screens = told.map((screen) => {
    const found = sources.get(screen.code)
    if (!found) throw new Error(`no routes.ts names the screen ${screen.code} as ...catalogue.name, with its import`)
    const { module, list, detail } = found
    return {
      ...screen,
      chunks: beyond(module, framed),
      list,
      detail: detail && { operation: detail.operation, chunks: beyond(detail.module, framed) },
    }
  })
  const asked = screens.flatMap(({ list, detail, calls }) => [
    list?.operation,
    detail?.operation,
    ...calls.map(({ id }) => id),
  ])
  return {
    shell: beyond(source('app/shell/shell.tsx'), entry),
    signIn: beyond(source('features/login/page.tsx'), entry),
    screens,
    operations: Object.fromEntries(Object.entries(operations).filter(([id]) => asked.includes(id))),
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
