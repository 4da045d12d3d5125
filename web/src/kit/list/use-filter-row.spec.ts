import { expect, it } from 'vitest'
import { filtersThatFit } from './use-filter-row'

it.each([
  ['all where there is room', [200, 100, 100], 416, 3],
  ['as many as leave room for the button with the others', [200, 100, 100, 100], 500, 2],
  ['the search at least', [200, 100], 180, 1],
  ['all where nobody can measure', [200, 100], 0, 2],
])('shows %s', (_, widths, room, count) => expect(filtersThatFit(widths, room)).toBe(count))
