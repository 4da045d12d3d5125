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
  name: string
  path: string
  icon: string
}

const entries: Entry[] = [
  ...source.matchAll(
    /(Section|Screen)\s*\{\s*code: "([^"]*)",\s*name: "([^"]*)",\s*path: "([^"]*)",\s*icon: "([^"]*)"/g,
  ),
].map(([, kind, code, name, path, icon]) => ({ kind, code, name, path, icon }) as Entry)

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

  it('agree on the path and the Chinese title of every screen that is built', () => {
    const wrong = places.flatMap(({ code, full, name }) => {
      const ours = screens.find((screen) => screen.code === code)
      return ours && (ours.path !== full || ours.title[0] !== name) ? [`${code}: ${ours.path} ${ours.title[0]}`] : []
    })
    expect(wrong).toEqual([])
  })

  it('leave no section without a translation', () => {
    const sections = entries.filter(({ kind }) => kind === 'Section')
    expect(sections.filter(({ name }) => titleIn(name, 'en') === name)).toEqual([])
  })

  it('name only icons that exist', () => {
    expect(entries.map(({ icon }) => icon).filter((icon) => !menuIconNames.includes(icon))).toEqual([])
  })

  it('have no path twice', () => {
    expect(new Set(screens.map(({ path }) => path)).size).toBe(screens.length)
  })
})
