import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { screens } from './api/catalogue'

/*
 * No label twice: what the server calls a column or a value is in `api/words`, and the console takes it from there. Read
 * from the source, because that is where somebody writes a label once more.
 */
type Label = readonly [zh: string, en: string]
type Value = { value: unknown; label: Label }

interface Generated {
  words: Record<string, Label | Value>
  /** What the list of these rows can be sorted by. */
  sorts?: readonly string[]
  /** The numbers of a settings document. */
  numbers?: Record<string, { min: number; max: number }>
}

const generated = Object.entries(import.meta.glob<Generated>('./api/words/*.ts', { eager: true })).map(
  ([path, module]) => [path.replace(/^.*\/|\.ts$/g, ''), module] as const,
)
const wordsOf = new Map(generated.map(([schema, { words }]) => [schema, Object.entries(words)]))
const sorted = new Set(generated.flatMap(([schema, { sorts }]) => (sorts ? [schema] : [])))
const settings = new Map(
  generated.flatMap(([schema, { words, numbers }]) => (numbers ? [[schema, { words, numbers }]] : [])),
)

const screenTitles = new Set(Object.values(screens).map(({ title }) => title.join(' ')))

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((name) => /^(features|kit)\/.*\.tsx?$/.test(name) && !/\.spec\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(import.meta.dirname, name), 'utf8') }))

/** The generated words that a file imports, by the name that they have there. */
const imported = (text: string) =>
  new Map(
    [...text.matchAll(/import \{ words(?: as (\w+))? \} from '@\/api\/words\/(\w+)'/g)].map(
      ([, name = 'words', schema = '']) => [name, schema],
    ),
  )

/** What stands between the braces after each `opening`, which ends with one. */
function blocks(text: string, opening: string): string[] {
  return text.split(opening).slice(1).map(inBraces)
}

function inBraces(text: string): string {
  let depth = 1
  const end = [...text].findIndex((letter) => {
    depth += letter === '{' ? 1 : letter === '}' ? -1 : 0
    return depth === 0
  })
  return [...text].slice(0, end).join('')
}

const pair = String.raw`\[\s*'([^']*)',\s*'([^']*)',?\s*\]`

/** The labels that a block of fields has of its own, although words that it spreads have them. */
function repeated(block: string, schemas: Map<string, string>): string[] {
  const spread = [...block.matchAll(/\.\.\.(\w+)/g)].flatMap(([, name = '']) => schemas.get(name) ?? [])
  const own = [...block.matchAll(new RegExp(`'?([\\w.]+)'?: ${pair}`, 'g'))]
  return own.flatMap(([, key, zh, en]) =>
    spread.flatMap((schema) =>
      (wordsOf.get(schema) ?? [])
        .filter(([, word]) => Array.isArray(word) && word[0] === zh && word[1] === en)
        .map(([name]) => `${key} repeats ${schema}.${name}`),
    ),
  )
}

const featureOf = (name: string) => name.split('/').slice(0, 2).join('/')

/** What each feature takes of the server's words. */
const takenBy = new Map<string, Set<string>>()
for (const { name, text } of files) {
  const taken = takenBy.get(featureOf(name)) ?? new Set()
  for (const [, schema = ''] of text.matchAll(/from '@\/api\/words\/(\w+)'/g)) taken.add(schema)
  takenBy.set(featureOf(name), taken)
}

/** The values of closed lists and the counts, by what they are called: there the same name and words are the same thing. */
function repeatedValues(text: string, schemas: ReadonlySet<string>): string[] {
  return [...text.matchAll(new RegExp(`\\b(\\w+): (?:\\{ \\w+: )?${pair}`, 'g'))].flatMap(([, key, zh, en]) =>
    [...schemas].flatMap((schema) =>
      (wordsOf.get(schema) ?? []).flatMap(([name, word]) => {
        const label = 'value' in word ? word.label : name.startsWith('counts.') ? word : undefined
        const isSame = label?.[0] === zh && label?.[1] === en && name.replace('counts.', '') === key
        return isSame ? `${key} repeats ${schema}.${name}` : []
      }),
    ),
  )
}

/** Other things that happen to be called like a value of the server, with what they are. */
const namesakes: Record<string, string> = {
  'features/device/address/messages.ts: expired repeats OperationState.expired': 'a token that nobody used in time',
}

/** The titles of screens that a text has of its own. */
const titlesIn = (text: string) =>
  [...text.matchAll(new RegExp(`\\btitle: ${pair}`, 'g'))].flatMap(([, zh, en]) =>
    screenTitles.has(`${zh} ${en}`) ? [zh] : [],
  )

/** The closed list of the server that has all values of this one. */
function sameList(block: string): string | undefined {
  const own = [...block.matchAll(new RegExp(`value: ([^,]+), label: ${pair}`, 'g'))].map(
    ([, value = '', zh, en]) => `${value.replaceAll("'", '')} ${zh} ${en}`,
  )
  const has = (word: Label | Value, text: string) =>
    'value' in word && `${word.value} ${word.label[0]} ${word.label[1]}` === text
  const all = (words: [string, Label | Value][]) => own.every((text) => words.some(([, word]) => has(word, text)))
  return own.length === 0 ? undefined : [...wordsOf].find(([, words]) => all(words))?.[0]
}

/** The row of each call that answers a page, by the call's name. */
const rows = new Map<string, string>()
const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../api/openapi.json'), 'utf8'))
for (const calls of Object.values<Record<string, { operationId?: string }>>(document.paths)) {
  for (const call of Object.values(calls)) {
    const row = /schemas\/Reply_Page_(\w+)"/.exec(JSON.stringify(call))?.[1]
    if (call.operationId && row)
      rows.set(
        call.operationId.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()),
        row,
      )
  }
}

describe('the words of the server', () => {
  it('are all read', () => {
    expect(wordsOf.get('ClientUserView')).toContainEqual(['name', ['姓名', 'Name']])
    expect(rows.get('clientUserPage')).toBe('ClientUserView')
    expect(repeated("...words, phone: ['手机号', 'Phone']", new Map([['words', 'ClientUserView']]))).toHaveLength(1)
    expect(sameList("on: { value: 1, label: ['通电', 'On'] },")).toBe('Power')
  })

  it('are not written once more as the labels of fields', () => {
    const wrong = files.flatMap(({ name, text }) =>
      blocks(text, 'fields: {').flatMap((block) => repeated(block, imported(text)).map((what) => `${name}: ${what}`)),
    )
    expect(wrong).toEqual([])
  })

  it('are not written once more as the name of a value or a count', () => {
    const known = new Set(['Power', 'RoomView'])
    expect(repeatedValues("idle: ['空闲', 'Idle'], on: { name: ['通电', 'On'] }", known)).toEqual([
      'idle repeats RoomView.counts.idle',
      'on repeats Power.on',
    ])
    expect(repeatedValues("free: ['空闲', 'Idle'], total: ['总数', 'Total']", known)).toEqual([])
    const wrong = files.flatMap(({ name, text }) =>
      repeatedValues(text, takenBy.get(featureOf(name)) ?? new Set()).map((what) => `${name}: ${what}`),
    )
    expect([...new Set(wrong)].filter((what) => !(what in namesakes))).toEqual([])
    expect(
      Object.keys(namesakes).filter((what) => !wrong.includes(what)),
      'what is no namesake any more',
    ).toEqual([])
  })

  it('are not written once more as the title of a screen', () => {
    expect(titlesIn("title: ['菜单管理', 'Menu management'],")).toEqual(['菜单管理'])
    const wrong = files.flatMap(({ name, text }) => titlesIn(text).map((title) => `${name}: ${title}`))
    expect(wrong).toEqual([])
  })

  it('are not written once more as what a list can be sorted by', () => {
    const written = (text: string) =>
      text
        .split('defineFilter(')
        .slice(1)
        .some((rest) => /^(?:[^()]|\([^()]*\))*\[/.test(rest))
    expect(written("defineFilter({ keyWord: textParam() }, ['name'])")).toBe(true)
    expect(files.filter(({ text }) => written(text)).map(({ name }) => name)).toEqual([])
    const without = files.flatMap(({ name, text }) =>
      [...text.matchAll(/useList\('(\w+)'/g)].flatMap(([, call = '']) => {
        const schema = rows.get(call) ?? ''
        return sorted.has(schema) && !text.includes(`import { sorts } from '@/api/words/${schema}'`)
          ? `${name}: ${schema}`
          : []
      }),
    )
    expect(without).toEqual([])
  })

  it('name and limit the fields of settings, and each has its place in the console', () => {
    expect([...settings.keys()]).toContain('FleetSettings')
    const wrong = [...settings].flatMap(([schema, fields]) => {
      const page = files.find(({ text }) => text.includes(`import { numbers } from '@/api/words/${schema}'`))
      const shown = (field: string) => new RegExp(`['"]${field}['"]`).test(page?.text ?? '')
      const isWhole = page?.text.includes('<NumberSettings of={numbers}') && !page.text.includes(' names={')
      return Object.keys(fields.words).filter((field) => !shown(field) && !(isWhole && field in fields.numbers))
    })
    expect(wrong).toEqual([])
    const repeated = files.filter(({ text }) => text.includes('<SettingsPage') && text.includes('integerBetween'))
    expect(repeated).toEqual([])
  })

  it('are not written once more as a closed list', () => {
    const wrong = files.flatMap(({ name, text }) =>
      blocks(text, 'defineChoices({').flatMap((block) => {
        const same = sameList(block)
        return same ? `${name}: has the values of ${same}` : []
      }),
    )
    expect(wrong).toEqual([])
  })

  it('label the columns of every list that has them', () => {
    const used = new Set(
      files.flatMap(({ name, text }) => [...imported(text).values()].map((schema) => `${featureOf(name)} ${schema}`)),
    )
    const wrong = files.flatMap(({ name, text }) =>
      [...text.matchAll(/use(?:Inner)?List\('(\w+)'/g)].flatMap(([, call = '']) => {
        const row = rows.get(call)
        return row && wordsOf.has(row) && !used.has(`${featureOf(name)} ${row}`) ? `${name}: ${row}` : []
      }),
    )
    expect(wrong).toEqual([])
  })
})
