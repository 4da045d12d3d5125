import type { Theme } from '@/access/theme'
import type { Series } from './chart'

/** How a line is drawn. */
export interface Look {
  /** A colour as a style sheet has it; tokens of the theme stay tokens. */
  colour: string
  /** Lengths of strokes and gaps, in pixels; none is drawn through. */
  dash: readonly number[]
  width: number
}

const dashes = [[], [6, 4], [2, 3], [8, 3, 2, 3]] as const
const palettes: Readonly<Record<Theme, readonly string[]>> = {
  light: ['#1660cf', '#b35900', '#1a7434', '#7a3fb0'],
  dark: ['#5a9bff', '#e0a54a', '#5fc97d', '#c39bf0'],
}
const colours = palettes.light.length

/** The look of the line at a place of the chart. Lines differ by dash as well as by colour, also beyond the fourth. */
export function lookOf({ isPast, token, colour }: Series, at: number, theme: Theme): Look {
  if (isPast) return { colour: 'var(--sky-text-soft)', dash: [4, 4], width: 1 }
  const ofPalette = palettes[theme][(colour ?? at) % colours] ?? ''
  const dash = dashes[(at + Math.floor(at / colours)) % dashes.length] ?? []
  return { colour: token ? `var(${token})` : ofPalette, dash: colour === undefined ? dash : [], width: 2 }
}
