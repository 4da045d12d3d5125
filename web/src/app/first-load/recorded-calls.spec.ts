import { beforeEach, describe, expect, it, vi } from 'vitest'
import { updateSession } from '@/access/session'
import { load } from '@/access/storage'
import { type PageCall, queryClient } from '@/api/query'
import { type RecordedCalls, recordCall, repeatCalls } from './recorded-calls'

const list: PageCall = { id: 'clientUserPage', parts: { body: { pageNum: 1, pageSize: 20 } } }
const tree: PageCall = { id: 'menuTree', parts: { query: { groupId: 1 } } }
const kept = () => load<RecordedCalls[]>('firstCalls') ?? []

// An address is recorded once a load of the console, so every test has its own.
let visits = 0
const visit = () => {
  visits += 1
  return { address: `/clientUser?page=${visits}`, screen: '/clientUser' }
}

beforeEach(() => {
  localStorage.clear()
  updateSession({ token: 'secret' })
})

describe('recordCall', () => {
  it('keeps what a page asks for first, as it is sent', () => {
    const page = visit()
    recordCall(page, list)
    expect(kept()).toEqual([
      {
        ...page,
        calls: [
          {
            ...list,
            method: 'POST',
            address: expect.stringContaining('/getPageUserInfo'),
            body: JSON.stringify(list.parts.body),
          },
        ],
      },
    ])
  })

  it('leaves out what is asked for later', () => {
    const page = visit()
    const now = vi.spyOn(performance, 'now')
    now.mockReturnValue(1000)
    recordCall(page, list)
    now.mockReturnValue(1500)
    recordCall(page, tree)
    expect(kept()[0]?.calls.map(({ id }) => id)).toEqual(['clientUserPage'])
  })

  it('keeps the last addresses alone, the newest first', () => {
    for (let at = 0; at < 50; at += 1) recordCall(visit(), list)
    expect(kept()).toHaveLength(40)
    expect(kept()[0]?.address).toBe(`/clientUser?page=${visits}`)
  })

  it('keeps nothing of somebody who has signed out', () => {
    updateSession({ token: '' })
    localStorage.clear()
    recordCall(visit(), list)
    expect(localStorage.length).toBe(0)
  })
})

describe('repeatCalls', () => {
  it('asks for as many rows as fit the window now', async () => {
    const page = visit()
    const asked = vi.spyOn(queryClient, 'prefetchQuery').mockResolvedValue(undefined)
    recordCall(page, { ...list, fit: { around: 318, row: 36 } })
    window.innerHeight = 900
    await repeatCalls(page.address)
    expect(asked.mock.calls[0]?.[0].queryKey).toEqual(['clientUserPage', { body: { pageNum: 1, pageSize: 16 } }])
  })

  it('leaves a page size alone that somebody chose', async () => {
    const page = visit()
    const asked = vi.spyOn(queryClient, 'prefetchQuery').mockClear().mockResolvedValue(undefined)
    recordCall(page, list)
    await repeatCalls(page.address)
    expect(asked.mock.calls[0]?.[0].queryKey).toEqual(['clientUserPage', list.parts])
  })
})
