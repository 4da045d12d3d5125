import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { menuIconNames } from '@/ui/menu-icons'
import { screens } from './registry'

interface Entry {
  code: string
  path?: string
  icon: string
}

/** The server's catalogue of menus, as its API document has it. */
const document: { 'x-console': { sections: Entry[]; screens: Entry[] } } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../api/openapi.json'), 'utf8'),
)
const { sections, screens: known } = document['x-console']

describe('the catalogue and the registry', () => {
  it('name the same screens', () => {
    expect(screens.map(({ code }) => code).sort()).toEqual(known.map(({ code }) => code).sort())
    expect(screens.length).toBeGreaterThan(20)
  })

  it('have no path twice', () => {
    expect(new Set(known.map(({ path }) => path)).size).toBe(known.length)
  })

  it('name only icons that exist', () => {
    const icons = [...sections, ...known].map(({ icon }) => icon)
    expect(icons.filter((icon) => !menuIconNames.includes(icon))).toEqual([])
  })
})
