import { act, renderHook } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { useRowFit } from './fit'
import { rowsThatFit } from './question'

it.each([
  [900, 16],
  [720, 11],
  [1080, 21],
  // A list of no rows is none, and nobody reads a thousand.
  [300, 5],
  [99_999, 200],
])('a window of %i pixels shows %i rows', (height, rows) =>
  expect(rowsThatFit({ around: 318, row: 36 }, height)).toBe(rows),
)

it('tells of another number of rows, and keeps what it knew while nothing can be measured', () => {
  window.innerHeight = 900
  const heard = vi.fn()
  const { result } = renderHook(() => useRowFit(undefined, heard))
  expect(result.current.rows).toBeUndefined()
  act(() => result.current.measured({ around: 318, row: 36 }))
  expect(result.current.rows).toBe(16)
  expect(heard).not.toHaveBeenCalled()
  act(() => result.current.measured(undefined))
  expect(result.current.rows).toBe(16)
  act(() => result.current.measured({ around: 318, row: 30 }))
  expect(heard).toHaveBeenCalledExactlyOnceWith(16, 19)
})

it('takes the usual page where nothing can be measured', () => {
  const { result } = renderHook(() => useRowFit(undefined, vi.fn()))
  act(() => result.current.measured(undefined))
  expect(result.current.rows).toBe(20)
})

it('begins with what was measured the last time, and no page changes when the table says otherwise', () => {
  window.innerHeight = 900
  const heard = vi.fn()
  const { result } = renderHook(() => useRowFit({ around: 300, row: 30 }, heard))
  expect(result.current.rows).toBe(20)
  act(() => result.current.measured({ around: 318, row: 36 }))
  expect(result.current.rows).toBe(16)
  expect(heard).not.toHaveBeenCalled()
})
