import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

/*
 * The gallery has the whole kit: each component of it is shown there, or is a part of one that is. Read from the source,
 * because that is where somebody adds one.
 */
const root = join(import.meta.dirname, '..')

/** What needs the server to be seen at all; the gallery has none. */
const ofTheServer = ['settings/settings-page.tsx SettingsPage', 'settings/settings-history.tsx SettingsHistory']

const sources = new Map(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(kit|preview)\/.*\.tsx?$/.test(name) && !/\.spec\.tsx?$/.test(name))
    .map((name) => [name, readFileSync(join(root, name), 'utf8')]),
)

/** The file of the kit or the gallery that an import names. */
function fileOf(from: string, target: string): string | undefined {
  const path = target.startsWith('@/') ? target.slice(2) : target.startsWith('.') ? join(dirname(from), target) : ''
  return [`${path}.tsx`, `${path}.ts`].find((name) => sources.has(name))
}

/** What a file takes from others, as `file name`; what a module has by default is called so. */
function taken(from: string, text: string): { file: string; name: string }[] {
  const listed = [...text.matchAll(/\bimport (?!type\b)([^'"]*?) from '([^']+)'/g)].flatMap(
    ([, what = '', target = '']) => {
      const [own = '', names = ''] = what.split('{')
      const all = names
        .replace('}', '')
        .split(',')
        .map((name) => name.trim().replace(/ as .*/, ''))
      return [...all, ...(own.trim() ? ['default'] : [])].map((name) => ({ target, name }))
    },
  )
  const later = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, target = '']) => ({ target, name: 'default' }))
  return [...listed, ...later].flatMap(({ target, name }) => {
    const file = fileOf(from, target)
    return file && name && !name.startsWith('type ') ? { file, name } : []
  })
}

/** The components that a file of the kit has for others. */
const components = (text: string) =>
  [...text.matchAll(/^export (default )?(?:function|const) ([A-Z][a-z]\w*)/gm)].map(([, isDefault, name = '']) => ({
    name,
    as: isDefault ? 'default' : name,
  }))

/** What is shown in the gallery: what it names, and what that is made of. */
function shown(): Set<string> {
  const found = new Set<string>()
  const files = new Set([...sources.keys()].filter((name) => name.startsWith('preview/')))
  for (const file of files) {
    for (const one of taken(file, sources.get(file) ?? '')) {
      found.add(`${one.file} ${one.name}`)
      files.add(one.file)
    }
  }
  return found
}

/** The components of the kit that `seen` lacks. */
const missing = (seen: Set<string>) =>
  [...sources].flatMap(([file, text]) =>
    file.startsWith('kit/') && file.endsWith('.tsx')
      ? components(text).flatMap(({ name, as }) => (seen.has(`${file} ${as}`) ? [] : `${file.slice(4)} ${name}`))
      : [],
  )

it('reads what a file takes and has', () => {
  const text =
    "import Own, { type A, columnsOf, Row as R } from '@/kit/list/columns'\nlazy(() => import('@/kit/loaded'))"
  expect(taken('preview/x.tsx', text)).toEqual([
    { file: 'kit/list/columns.tsx', name: 'columnsOf' },
    { file: 'kit/list/columns.tsx', name: 'Row' },
    { file: 'kit/list/columns.tsx', name: 'default' },
    { file: 'kit/loaded.tsx', name: 'default' },
  ])
  expect(components('export default function One() {}\nexport const LIMIT = 1\nexport const two = 2')).toEqual([
    { name: 'One', as: 'default' },
  ])
})

it('shows every component of the kit', () => {
  expect(missing(shown()).sort()).toEqual(ofTheServer.toSorted())
})

it('misses a component that is not shown', () => {
  const without = new Set([...shown()].filter((one) => !one.endsWith(' MoneyField')))
  expect(missing(without)).toContain('form/money-field.tsx MoneyField')
})
