import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

/*
 * The import rules of the console. A rule that is in the way is discussed and changed here, not worked around.
 */
const root = resolve(import.meta.dirname)

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/\.spec\.tsx?$/.test(name))
  .map((name) => ({ name: name.replaceAll('\\', '/'), text: readFileSync(join(root, name), 'utf8') }))

/** Every module that a file imports: ours as a path below `src`, others by their package. */
function importsOf(file: { name: string; text: string }): string[] {
  const found = [...file.text.matchAll(/(?:\bfrom|\bimport\(|\bimport)\s*['"]([^'"]+)['"]/g)].map(
    (match) => match[1] ?? '',
  )
  return found.map((target) => pathOf(file.name, target))
}

function pathOf(from: string, target: string): string {
  if (target.startsWith('@/')) return target.slice(2)
  if (target.startsWith('.')) return relative(root, resolve(root, dirname(from), target))
  return `package:${target}`
}

/** What a file needs of ours, by name: with `all`, also what it loads later and what it takes types from. */
function neighbours(file: { name: string; text: string }, all: boolean): string[] {
  const text = all ? file.text : file.text.replace(/\bimport\(|\b(import|export) type\b[^'"]*['"][^'"]*['"]/g, '')
  return importsOf({ ...file, text }).flatMap((target) =>
    [target, `${target}.ts`, `${target}.tsx`].filter((name) => files.some((other) => other.name === name)),
  )
}

/** Files that need each other in a circle, each with all of its circle. */
function circles(all: boolean): string[][] {
  const needs = new Map(files.map((file) => [file.name, neighbours(file, all)]))
  const reached = new Map(files.map(({ name }) => [name, reach(needs, name)]))
  const found = files.map(({ name }) => [...(reached.get(name) ?? [])].filter((other) => reached.get(other)?.has(name)))
  return [...new Set(found.filter((circle) => circle.length > 0).map((circle) => circle.sort().join(' ')))]
    .map((circle) => circle.split(' '))
    .sort((one, other) => other.length - one.length)
}

function reach(needs: Map<string, string[]>, from: string): Set<string> {
  const found = new Set<string>()
  const open = [...(needs.get(from) ?? [])]
  for (let next = open.pop(); next; next = open.pop()) {
    if (found.has(next)) continue
    found.add(next)
    open.push(...(needs.get(next) ?? []))
  }
  return found
}

const folderOf = (path: string) => path.split('/')[0] ?? ''
const featureOf = (path: string) => path.split('/')[1] ?? ''

/** What each folder may import of ours, besides itself. */
const allowed: Record<string, readonly string[]> = {
  ui: [],
  rules: ['i18n'],
  i18n: [],
  api: ['i18n'],
  access: ['api', 'i18n'],
  testing: ['ui', 'access'],
  kit: ['ui', 'api', 'i18n', 'access', 'rules'],
  features: ['kit', 'ui', 'api', 'i18n', 'access', 'rules'],
  preview: ['kit', 'ui', 'api', 'i18n', 'access', 'rules'],
  app: ['features', 'kit', 'ui', 'api', 'i18n', 'access', 'rules'],
}

/** Files that may be longer than 300 lines, with the reason. Only ever shorter. */
const longFiles: Record<string, string> = {}

function violations(broken: (file: { name: string; text: string }) => (string | false)[]): string[] {
  return files.flatMap((file) => broken(file).flatMap((what) => (what ? [`${file.name}: ${what}`] : [])))
}

describe('the folders', () => {
  it('import only what they may', () => {
    const wrong = violations((file) => {
      const folder = folderOf(file.name)
      const may = allowed[folder]
      return importsOf(file).map((target) => {
        const other = folderOf(target)
        if (!may || target.startsWith('package:') || target.startsWith('..') || other === folder) return false
        return !may.includes(other) && target
      })
    })
    expect(wrong).toEqual([])
  })

  it('are all known here', () => {
    const known = Object.keys(allowed)
    expect([...new Set(files.filter(({ name }) => name.includes('/')).map(({ name }) => folderOf(name)))]).toEqual(
      expect.arrayContaining(['access', 'api', 'app']),
    )
    expect(files.filter(({ name }) => name.includes('/') && !known.includes(folderOf(name)))).toEqual([])
  })

  it('a feature imports of another feature its links only', () => {
    const wrong = violations((file) =>
      importsOf(file).map((target) => {
        const across = folderOf(file.name) === 'features' && folderOf(target) === 'features'
        return across && featureOf(target) !== featureOf(file.name) && !/\/links$/.test(target) && target
      }),
    )
    expect(wrong).toEqual([])
  })
})

describe('circles', () => {
  it('none of what is loaded at once: who comes first would decide what works', () => {
    expect(circles(false)).toEqual([])
  })

  it('no more files need each other than one reads at once', () => {
    const most = 5
    const [largest = []] = circles(true)
    // That there are some shows that they are found.
    expect(largest.length, `${largest.join(', ')}: a smaller one is written down here`).toBe(most)
  })
})

/** Runs in the page before there is any module that could do it for it. */
const beforeModules = 'app/first-load/early.ts'

describe('the libraries', () => {
  it('the UI kit is imported in ui only', () => {
    const wrong = violations((file) =>
      importsOf(file).map(
        (target) => folderOf(file.name) !== 'ui' && /^package:(antd|@ant-design\/)/.test(target) && target,
      ),
    )
    expect(wrong).toEqual([])
  })

  it('fetch and XMLHttpRequest are used in api only', () => {
    const wrong = violations(({ name, text }) => [
      name !== beforeModules &&
        folderOf(name) !== 'api' &&
        /(^|[^.\w])fetch\(|new XMLHttpRequest/m.test(text) &&
        'talks to the server by itself',
    ])
    expect(wrong).toEqual([])
  })

  it('browser storage and cookies are used in access and i18n only', () => {
    const wrong = violations(({ name, text }) => [
      !['access', 'i18n'].includes(folderOf(name)) &&
        /\b(localStorage|sessionStorage|document\.cookie|indexedDB)\b/.test(text) &&
        'keeps something in the browser by itself',
    ])
    expect(wrong).toEqual([])
  })
})

describe('the files', () => {
  it('an effect outside ui and kit says why', () => {
    const wrong = violations(({ name, text }) => {
      if (['ui', 'kit', 'preview'].includes(folderOf(name))) return []
      const lines = text.split('\n')
      return lines.map((line, at) => {
        if (!/^\s*useEffect\(/.test(line)) return false
        return !/^\s*(\/\/|\*\/|\*)/.test(lines[at - 1] ?? '') && `useEffect in line ${at + 1} has no comment`
      })
    })
    expect(wrong).toEqual([])
  })

  it('have default exports only where a router or a lazy import loads them', () => {
    const lazy = files.flatMap((file) =>
      [...file.text.matchAll(/import\(\s*['"]([^'"]+)['"]/g)].map(([, target = '']) => pathOf(file.name, target)),
    )
    const wrong = violations(({ name, text }) => [
      /^export default/m.test(text) &&
        !lazy.includes(name.replace(/\.tsx?$/, '')) &&
        'default export, never loaded lazily',
    ])
    expect(wrong).toEqual([])
  })

  it('there are no barrels', () => {
    expect(files.map(({ name }) => name).filter((name) => /(^|\/)index\.tsx?$/.test(name))).toEqual([])
  })

  it('are at most 300 lines long', () => {
    const generated = ['api/schema.ts', 'api/operations.ts']
    const long = files
      .filter(({ name }) => !generated.includes(name))
      .filter(({ text }) => text.split('\n').length > 301)
      .map(({ name }) => name)
    expect(long.filter((name) => !(name in longFiles))).toEqual([])
  })
})
