import { describe, expect, it } from 'vitest'
import { fitColumns, sameColumns, spreadColumns, squeezeColumns } from './fit-columns'

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

describe('what somebody switched on', () => {
  const wide = { key: 'remark', width: 300, spare: true, chosen: true }

  it('stays, and takes no other column away', () => {
    const besides = fitColumns([...columns.slice(0, 4), wide, ...columns.slice(4)], 400)
    expect(besides.map(({ key }) => key)).toEqual(['name', 'state', 'cause', 'remark', 'acts'])
  })

  it('stays where it is one of the usual ones that had no room', () => {
    const chosen = columns.map((column) => ({ ...column, chosen: column.key === 'place' }))
    expect(fitColumns(chosen, 400).map(({ key }) => key)).toEqual(['name', 'state', 'place', 'cause', 'acts'])
  })
})

describe('sameColumns', () => {
  const before = new Set(['name', 'mail'])
  const grown = [
    { key: 'name', width: 100 },
    { key: 'mail', width: 240, least: 72 },
    { key: 'state', width: 50 },
  ]
  const widths = (pixels: number) => sameColumns(grown, before, pixels)?.map(({ key, width }) => [key, width])

  it('are those that were there, where free text can give way to what has grown', () => {
    expect(widths(300)).toEqual([
      ['name', 100],
      ['mail', 200],
    ])
    expect(widths(500)).toEqual([
      ['name', 100],
      ['mail', 240],
    ])
    expect(widths(270), 'a quarter is all that it gives').toBeUndefined()
  })

  it('are found anew where somebody switched one on', () => {
    const chosen = grown.map((column) => ({ ...column, chosen: column.key === 'mail' }))
    expect(sameColumns(chosen, before, 300)).toBeUndefined()
  })
})

describe('squeezeColumns', () => {
  const text = { key: 'reason', width: 200, least: 100 }
  const remark = { key: 'remark', width: 400, least: 200 }
  const widths = (pixels: number) =>
    squeezeColumns([...columns.slice(0, 1), text, remark], pixels).map(({ width }) => width)

  it('takes from what can give way, each as it can', () => {
    expect(widths(700)).toEqual([100, 200, 400])
    expect(widths(550)).toEqual([100, 150, 300])
    expect(widths(100)).toEqual([100, 100, 200])
  })
})

describe('spreadColumns', () => {
  it('makes whole first what would be cut', () => {
    const cut = { key: 'cut', width: 100, whole: 180 }
    expect(spreadColumns([cut, { key: 'b', width: 100 }], 260).map(({ width }) => width)).toEqual([160, 100])
    expect(spreadColumns([cut, { key: 'b', width: 180 }], 380).map(({ width }) => width)).toEqual([190, 190])
  })

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
