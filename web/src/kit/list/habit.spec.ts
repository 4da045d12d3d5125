import { beforeEach, expect, it } from 'vitest'
import { updateSession } from '@/access/session'
import { habitOf, keepHabit, loadHabits } from './habit'

const alone = { around: 318, row: 44 }
const amongTabs = { around: 379, row: 36 }

beforeEach(() => {
  localStorage.clear()
  updateSession({ token: 'secret' })
})

it('keeps what it is told of a list, beside what it knew', () => {
  keepHabit('clientUserPage', { room: alone })
  keepHabit('clientUserPage', { opening: 'status=1' })
  expect(habitOf(loadHabits(), 'clientUserPage')).toEqual({ room: alone, opening: 'status=1' })
})

it('takes a list that was never seen for one that stands alone, with rows as they are usual', () => {
  keepHabit('clientUserPage', { room: alone })
  keepHabit('roomList', { room: amongTabs })
  expect(habitOf(loadHabits(), 'cardList').room).toEqual({ around: 318, row: 36 })
  expect(habitOf(loadHabits(), 'roomList').room).toEqual(amongTabs)
})

it('keeps nothing of somebody who has signed out', () => {
  localStorage.clear()
  keepHabit('clientUserPage', { room: alone })
  expect(localStorage.length).toBe(0)
})
