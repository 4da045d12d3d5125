import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { joinPath } from '@/access/menu'
import { titleIn } from '@/access/titles'
import { menuIconNames } from '@/ui/menu-icons'
import { screens } from './registry'

/*
 * The server's catalogue of menus and our registry must speak of the same screens. Read from the source, because that is
 * where somebody adds a screen.
 */
const source = readFileSync(join(import.meta.dirname, '../../../crates/server/src/access/catalog.rs'), 'utf8')

interface Entry {
  kind: 'Section' | 'Screen'
  code: string
  title: [zh: string, en: string]
  path: string
  icon: string
}

const shape =
  /(Section|Screen)\s*\{\s*code: "([^"]*)",\s*name: text\("([^"]*)", "([^"]*)"\),\s*path: "([^"]*)",\s*icon: "([^"]*)"/g

const entries: Entry[] = [...source.matchAll(shape)].map(
  ([, kind, code, zh, en, path, icon]) => ({ kind, code, title: [zh, en], path, icon }) as Entry,
)

let section = '/'
const places = entries.flatMap((entry) => {
  if (entry.kind === 'Section') section = entry.path
  return entry.kind === 'Screen' ? [{ ...entry, full: joinPath(section, entry.path) }] : []
})

describe('the catalogue and the registry', () => {
  it('are both read', () => {
    expect(places.length).toBeGreaterThan(5)
    expect(screens.length).toBeGreaterThan(2)
  })

  it('agree on the path and both titles of every screen that is built', () => {
    const wrong = places.flatMap(({ code, full, title }) => {
      const ours = screens.find((screen) => screen.code === code)
      const same = ours && ours.path === full && ours.title[0] === title[0] && ours.title[1] === title[1]
      return ours && !same ? [`${code}: ${ours.path} ${ours.title} / ${full} ${title}`] : []
    })
    expect(wrong).toEqual([])
  })

  it('agree on the titles of the sections', () => {
    const sections = entries.filter(({ kind }) => kind === 'Section')
    expect(sections.filter(({ title }) => titleIn(title[0], 'en') !== title[1])).toEqual([])
  })

  it('name only icons that exist', () => {
    expect(entries.map(({ icon }) => icon).filter((icon) => !menuIconNames.includes(icon))).toEqual([])
  })

  it('have no path twice', () => {
    expect(new Set(screens.map(({ path }) => path)).size).toBe(screens.length)
  })
})
