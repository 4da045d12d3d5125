import { sources } from 'virtual:screen-sources'
import { describe, expect, it } from 'vitest'
import { operations } from '@/api/operations'
import { asks } from '@/api/page-call'
import { detailsIn } from '../../../screen-sources'
import { screens } from '../registry'
import { firstCalls, type ScreenCalls, type Surroundings } from './first-calls'

/** A window of sixteen rows. */
const around = { operations, habits: { '*': { room: { around: 318, row: 36 } } }, windowHeight: 900 }
const users: ScreenCalls = { ...sources.clientUser }

const callsAt = (search: string, known = users, surroundings: Surroundings = around) =>
  firstCalls(known, { path: '/list' }, { pathname: '/list', search }, surroundings)

describe('the first calls of a page', () => {
  it('are its list, with as many rows as fit the window', () => {
    expect(callsAt('')).toEqual([{ id: 'clientUserPage', parts: { path: {}, body: { pageNum: 1, pageSize: 16 } } }])
  })

  it('have what the address says of the list, in the types that the server takes, and nothing else', () => {
    const [call] = callsAt('?sort=-name&page=3&size=50&status=1&keyWord= li &startTime=2026-01-01T00:00:00Z&roomId=7')
    expect(JSON.stringify(call?.parts.body)).toBe(
      JSON.stringify({
        keyWord: 'li',
        status: 1,
        startTime: '2026-01-01T00:00:00.000Z',
        sort: 'name',
        order: 'desc',
        pageNum: 3,
        pageSize: 50,
      }),
    )
  })

  it('are asked with what makes no number as it stands', () => {
    expect(callsAt('?status=01')[0]?.parts.body).toMatchObject({ status: '01' })
    expect(callsAt('?status=-1')[0]?.parts.body).toMatchObject({ status: -1 })
    expect(callsAt('?status=true')[0]?.parts.body).toMatchObject({ status: true })
  })

  it('are the view that a list opens with, unless the address asks for something', () => {
    const habits = { clientUserPage: { opening: 'status=2&rows=compact', room: { around: 318, row: 44 } } }
    const body = (search: string) => callsAt(search, users, { ...around, habits })[0]?.parts.body
    expect(body('')).toEqual({ status: 2, pageNum: 1, pageSize: 19 })
    expect(body('?keyWord=li')).toEqual({ keyWord: 'li', pageNum: 1, pageSize: 13 })
  })

  it('are the record whose detail is open as well, with its number as one', () => {
    expect(callsAt('?detail=17')[1]).toEqual({ id: 'clientUserGet', parts: { query: { id: 17 } } })
    const group: ScreenCalls = { ...sources.groups }
    expect(callsAt('?detail=17', group)[1]).toEqual({ id: 'groupRightsGet', parts: { path: { id: 17 } } })
  })

  it('are the thing alone on its own page below the list', () => {
    const place = { pathname: '/list/17', search: '?state=1' }
    expect(firstCalls({ ...sources.deviceOperations }, { path: '/list' }, place, around)).toEqual([
      { id: 'operationGet', parts: { path: { id: 17 } } },
    ])
  })

  it('are those that the screen names itself', () => {
    const map = asks('fleetMap', {})
    expect(callsAt('', { calls: () => [map] })).toEqual([map])
  })
})

describe('what the build reads in the pages', () => {
  it('is every screen', () => {
    expect(Object.keys(sources).sort()).toEqual(screens.map(({ code }) => code).sort())
  })

  it('is a detail however it is broken into lines, and never passes over one', () => {
    const broken = "const Detail = lazyDetail(\n  'cardGet',\n  () => import('./detail'),\n)"
    expect(detailsIn('/x/page.tsx', broken)).toEqual([{ operation: 'cardGet', module: '/x/detail.tsx' }])
    const odd = "const Detail = lazyDetail('cardGet', loadDetail)"
    expect(() => detailsIn('/x/page.tsx', odd)).toThrow('/x/page.tsx')
  })

  it('is the list of every screen that is one, with its filters and orders', () => {
    const lists = Object.values(sources).flatMap(({ list }) => (list ? [list] : []))
    expect(lists.length).toBeGreaterThan(10)
    expect(sources.clientUser?.list).toEqual({
      operation: 'clientUserPage',
      params: {
        keyWord: 'text',
        status: 'choice',
        loginMethod: 'choice',
        clientType: 'choice',
        appId: 'id',
        startTime: 'time',
        endTime: 'time',
      },
      sorts: ['id', 'name', 'lastLoginAt'],
    })
    expect(sources.deviceMap?.list).toBeUndefined()
  })
})
