import { describe, expect, it } from 'vitest'
import { fitColumns, spreadColumns } from './fit-columns'

const columns = [
  { key: 'name', width: 100, pin: 'start' as const },
  { key: 'state', width: 100 },
  { key: 'place', width: 100 },
  { key: 'cause', width: 100, importance: 1 },
  { key: 'acts', width: 100, pin: 'end' as const },
]
const keys = (pixels: number, keep?: string) => fitColumns(columns, pixels, keep).map(({ key }) => key)

it('keeps all that fits, and all before anybody measured', () => {
  expect(keys(500)).toHaveLength(5)
  expect(keys(0)).toHaveLength(5)
})

it('drops the rightmost of the least important, never a pinned one', () => {
  expect(keys(499)).toEqual(['name', 'state', 'cause', 'acts'])
  expect(keys(300)).toEqual(['name', 'cause', 'acts'])
  expect(keys(50)).toEqual(['name', 'acts'])
})

it('keeps the column that the list is sorted by', () => {
  expect(keys(400, 'place')).toEqual(['name', 'place', 'cause', 'acts'])
})

describe('spreadColumns', () => {
  const widths = (columns: readonly { width: number }[]) => columns.map(({ width }) => width)
  const two = [
    { key: 'a', width: 100 },
    { key: 'b', width: 200 },
  ]

  it('shares what is left as the columns are wide, to the last pixel', () => {
    expect(widths(spreadColumns(two, 401))).toEqual([133, 268])
  })

  it('leaves an exact width alone', () => {
    expect(widths(spreadColumns([{ key: 'x', width: 50, exact: true }, ...two], 400))).toEqual([50, 116, 234])
  })

  it('fills the line where all are exact', () => {
    const exact = two.map((column) => ({ ...column, exact: true }))
    expect(widths(spreadColumns([...exact, { key: 'acts', width: 90, exact: true, pin: 'end' }], 500))).toEqual([
      100, 310, 90,
    ])
  })

  it('takes nothing away where there is too little', () => {
    expect(spreadColumns(two, 100)).toBe(two)
  })
})
