import { expect, it } from 'vitest'
import { arranged, rowsOf, untouched } from './arrange'

const sections = ['attention', 'rooms', 'curve'].map((id) => ({ id }))
const ids = (order: readonly string[]) => arranged(sections, order).map(({ id }) => id)

it('keeps the order of an operator who has moved sections, and the usual one of him who has not', () => {
  expect(ids([])).toEqual(['attention', 'rooms', 'curve'])
  expect(ids(['curve', 'attention', 'rooms'])).toEqual(['curve', 'attention', 'rooms'])
})

it('puts a section that is new after its predecessor, and forgets one that is gone', () => {
  expect(ids(['curve', 'attention'])).toEqual(['curve', 'attention', 'rooms'])
  expect(ids(['curve', 'rooms'])).toEqual(['attention', 'curve', 'rooms'])
  expect(ids(['gone', 'rooms', 'curve', 'attention'])).toEqual(['rooms', 'curve', 'attention'])
})

it('puts sections side by side as far as there is room, and has only the rows grow that gain by it', () => {
  const shown = (...ids: string[]) =>
    rowsOf(ids.map((id) => ({ id }))).map(({ grows, placed }) => [grows, ...placed.map(({ section }) => section.id)])
  expect(shown('attention', 'rooms', 'phones', 'fleet', 'work', 'customers', 'curve', 'running')).toEqual([
    [true, 'attention', 'rooms'],
    [false, 'phones'],
    [false, 'fleet', 'work', 'customers'],
    [true, 'curve', 'running'],
  ])
  expect(shown('trend', 'fleet', 'attention', 'curve')).toEqual([
    [true, 'trend'],
    [true, 'fleet', 'attention'],
    [true, 'curve'],
  ])
})

it('hides trends from those who have not asked for them', () => {
  expect(untouched.hidden).toEqual(['trend', 'phoneTrend'])
})
