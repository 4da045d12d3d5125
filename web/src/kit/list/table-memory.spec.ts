import { beforeEach, expect, it } from 'vitest'
import { updateSession } from '@/access/session'
import { memoryOf } from './table-memory'

const columns = { 'id ID': { head: 47, all: 71 } }
const wider = { 'id ID': { head: 47, all: 90 } }

beforeEach(() => {
  localStorage.clear()
  updateSession({ token: 'secret' })
})

it('knows at the next visit what a table needed, and the room of its page', () => {
  expect(memoryOf('clientUserPage', true).before).toBeUndefined()
  memoryOf('clientUserPage', true).keep({ beside: 242, columns })
  memoryOf('roomList', true).keep({ beside: 300, columns: wider })
  expect(memoryOf('clientUserPage', true).before).toEqual({ beside: 242, columns })
})

it('shares columns with the same list in a drawer, but not the room', () => {
  memoryOf('clientUserPage', true).keep({ beside: 242, columns })
  const inDrawer = memoryOf('clientUserPage', false)
  expect(inDrawer.before).toEqual({ beside: undefined, columns })
  inDrawer.keep({ beside: 800, columns: wider })
  expect(memoryOf('clientUserPage', true).before).toEqual({ beside: 242, columns: wider })
})

it('keeps nothing of somebody who has signed out', () => {
  localStorage.clear()
  memoryOf('clientUserPage', true).keep({ beside: 242, columns })
  expect(localStorage.length).toBe(0)
})
