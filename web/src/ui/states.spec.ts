import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { stateLooks } from './states'

const css = readFileSync(`${import.meta.dirname}/states.css`, 'utf8')
const [light = '', dark = ''] = css.match(/:root[^{]*\{[^}]*\}/g) ?? []

/** The value of a token in a block of the style sheet. */
function tokenOf(block: string, name: string): string {
  const value = new RegExp(`--st-${name}: (#[0-9a-f]{6});`).exec(block)?.[1]
  if (!value) throw new Error(`no --st-${name}`)
  return value
}

/** The relative luminance of WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dim = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (bright + 0.05) / (dim + 0.05)
}

describe.each([
  ['light', light, '#ffffff'],
  ['dark', dark, '#171d26'],
])('the colours of the states in the %s theme', (_, block, surface) => {
  it.each(Object.values(stateLooks))('let the sign of $token be read', ({ token }) => {
    expect(contrast(tokenOf(block, token), tokenOf(block, `${token}-ink`))).toBeGreaterThanOrEqual(4.5)
  })

  it.each(['maint', 'fault', 'up', 'off'])('let %s stand out from the surface', (token) => {
    expect(contrast(tokenOf(block, token), surface)).toBeGreaterThanOrEqual(4.5)
  })

  it('let idle and in use stay calmer than any trouble', () => {
    const calm = Math.max(...['idle', 'use'].map((token) => contrast(tokenOf(block, token), surface)))
    for (const token of ['maint', 'fault', 'up', 'off']) {
      expect(contrast(tokenOf(block, token), surface)).toBeGreaterThan(calm)
    }
  })
})

it('has a sign for every state, and no sign twice', () => {
  const signs = Object.values(stateLooks).map(({ sign }) => sign)
  expect(new Set(signs).size).toBe(signs.length)
})
