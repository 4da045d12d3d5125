import { beforeEach, describe, expect, it } from 'vitest'
import { beginSession, clearSession, currentSession, updateSession } from './session'
import { load, storagePrefix } from './storage'

beforeEach(() => clearSession())

describe('the session', () => {
  it('keeps each value under the prefix, with its time of change', () => {
    beginSession({ token: 't', id: '7', groupId: '3', username: 'admin' })
    const stored = JSON.parse(localStorage.getItem(`${storagePrefix}token`) ?? '{}')
    expect(stored.value).toBe('t')
    expect(new Date(stored.updatedAt).toISOString()).toBe(stored.updatedAt)
    expect(load('groupId')).toBe('3')
  })

  it('is of user type 2 with adduser and checkuser after signing in', () => {
    beginSession({ token: 't', id: '7', groupId: '3', username: 'admin' })
    expect(currentSession()).toMatchObject({ utype: 2, upermission: ['adduser', 'checkuser'], roles: [] })
  })

  it('keeps the menu tree in local storage', () => {
    updateSession({ menuTree: [{ name: 'x', path: '/x' }] })
    expect(load('menuTree')).toEqual([{ name: 'x', path: '/x' }])
  })

  it('clears all of local storage at the end', () => {
    localStorage.setItem('somebody else', '1')
    beginSession({ token: 't', id: '7', groupId: '3', username: 'admin' })
    clearSession()
    expect(localStorage).toHaveLength(0)
    expect(currentSession().token).toBe('')
  })

  it('takes damaged values for missing ones', () => {
    localStorage.setItem(`${storagePrefix}token`, '{nonsense')
    expect(load('token')).toBeUndefined()
  })
})
