import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Notices, notify } from './notices'

beforeEach(() => {
  vi.useFakeTimers()
  render(<Notices closeLabel="close" />)
})
afterEach(() => vi.useRealTimers())

const say = (text: string, duration?: number) =>
  act(() => notify({ tone: 'bad', title: '失败', text, ...(duration && { duration }) }))
const pass = (time: number) => act(() => vi.advanceTimersByTime(time))
const shown = () => screen.queryAllByRole('alert').map((notice) => notice.textContent)

it('shows a notice for five seconds, the same words once, and the newest four', () => {
  say('one')
  pass(4_999)
  expect(shown()).toEqual(['失败one'])
  // Said again it stays as long as if it were new.
  say('one')
  pass(4_999)
  expect(shown()).toEqual(['失败one'])
  pass(1)
  expect(shown()).toEqual([])

  for (const text of ['one', 'two', 'three', 'four', 'five']) say(text)
  expect(shown()).toEqual(['two', 'three', 'four', 'five'].map((text) => `失败${text}`))
  pass(5_000)
  expect(shown()).toEqual([])
})

it('shows one as long as it asks for', () => {
  say('long', 8_000)
  pass(7_999)
  expect(shown()).toEqual(['失败long'])
  pass(1)
  expect(shown()).toEqual([])
})
