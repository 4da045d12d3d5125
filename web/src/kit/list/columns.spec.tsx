import { render } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { describe, expect, it } from 'vitest'
import '@/testing/render'
import { type Column, columnsOf } from './columns'

interface Row {
  id: number
  address: string
  count: number
  card: { id: number; name: string } | null
}

const row: Row = { id: 7, address: '10.1.2.3', count: 1_234_567, card: { id: 1, name: '10.1.2.3' } }
const c = columnsOf<Row>()

function cellOf({ render: draw }: Column<Row>, of: Row = row) {
  return render(<MemoryRouter>{draw(of)}</MemoryRouter>).container
}

describe('a column', () => {
  it.each([
    ['a number', c.number('count'), '1,234,567'],
    ['an amount', c.money('count'), '¥12,345.67'],
    ['a size', c.bytes('count'), '1.2 MB'],
  ])('of %s stands at the end of its cell', (_, column, text) => {
    expect(column.align).toBe('end')
    expect(cellOf(column)).toHaveTextContent(text)
  })

  it.each([
    ['codes', c.code('address')],
    ['details that are called by a code', c.detail('address', { isCode: true })],
    ['words that are codes', c.words('address', ({ address }) => address, { isCode: true })],
    ['references that are called by a code', c.reference('card', undefined, { isCode: true })],
    ['references that lead there', c.reference('card', (id) => `/cards/${id}`, { isCode: true })],
  ])('of %s is monospaced, and tells the pointer the whole', (_, column) => {
    const cell = cellOf(column)
    expect(cell.querySelector('.sky-mono')).toHaveTextContent('10.1.2.3')
    expect(cell.querySelector('[title="10.1.2.3"]')).not.toBeNull()
  })

  it('of names is not', () => {
    for (const column of [c.text('address'), c.reference('card'), c.detail('address')])
      expect(cellOf(column).querySelector('.sky-mono')).toBeNull()
  })

  it('of codes has the dash of all others where there is nothing', () => {
    const nothing: Row = { ...row, address: '', card: null }
    for (const column of [c.code('address'), c.words('address', () => '', { isCode: true }), c.reference('card')])
      expect(cellOf(column, nothing).querySelector('.sky-soft')).toHaveTextContent('—')
  })
})
