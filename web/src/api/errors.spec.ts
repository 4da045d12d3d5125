import { beforeEach, describe, expect, it } from 'vitest'
import { setLanguage } from '@/i18n/language'
import { isSuccess, judgeBody, judgeHttp } from './errors'

beforeEach(() => setLanguage('en'))

describe('success', () => {
  it.each([
    [{ status: 0 }, true],
    [{ status: 1, code: 200 }, false],
    [{ code: 200 }, true],
    [{ code: 500 }, false],
    [{}, false],
  ])('%j is %s', (body, good) => {
    expect(isSuccess(body)).toBe(good)
  })
})

describe('body statuses', () => {
  it('3: the trial is over, in the stored language', () => {
    expect(judgeBody({ status: 3 }, 200)).toMatchObject({
      consequence: 'openLicence',
      msg: expect.stringContaining('trial'),
    })
    setLanguage('zh')
    expect(judgeBody({ status: 3 }, 200).msg).toContain('试用时间已到')
  })

  it('6013: displaced, in the words of the specification', () => {
    expect(judgeBody({ status: 6013 }, 200)).toMatchObject({
      msg: 'Login information has expired',
      consequence: 'endSession',
    })
    setLanguage('zh')
    expect(judgeBody({ status: 6013 }, 200).msg).toBe('设备已在别处登录')
  })

  it('6014: expired', () => {
    expect(judgeBody({ status: 6014 }, 200)).toMatchObject({
      msg: 'Login information has expired, please log in again',
      consequence: 'endSession',
    })
  })

  it('4010: the password must be changed', () => {
    expect(judgeBody({ status: 4010, msg: 'x' }, 200).consequence).toBe('changePassword')
  })

  it('others: the msg, else the data, else unknown error', () => {
    expect(judgeBody({ status: 4009, msg: 'taken' }, 409)).toMatchObject({
      status: 4009,
      msg: 'taken',
      consequence: 'none',
    })
    expect(judgeBody({ status: 9, data: 'why' }, 200).msg).toBe('why')
    expect(judgeBody({ code: 500 }, 200)).toMatchObject({ status: 500, msg: 'Unknown error' })
  })
})

describe('HTTP failures', () => {
  it.each([
    [401, 'The device has been logged on elsewhere'],
    [402, 'Login information has expired'],
    [403, 'Insufficient authority'],
  ])('%i ends the session: %s', (status, msg) => {
    expect(judgeHttp(status, { msg: 'ignored' })).toMatchObject({ msg, consequence: 'endSession' })
  })

  it('above 500 the server cannot be reached', () => {
    expect(judgeHttp(503, { msg: 'x' }).msg).toBe('Server error')
    setLanguage('zh')
    expect(judgeHttp(502, {}).msg).toBe('服务器无法连通')
  })

  it('a console that is there and cannot serve says why itself', () => {
    expect(judgeHttp(503, { status: 5003, msg: 'The disk is full' }).msg).toBe('The disk is full')
    expect(judgeHttp(503, { status: 5003 }).msg).toBe('Server error')
  })

  it('500 itself says what the body says, else unknown server error', () => {
    expect(judgeHttp(500, { msg: 'request 7' }).msg).toBe('request 7')
    expect(judgeHttp(500, {}).msg).toBe('Unknown server error')
  })

  it('hears a body status that is more precise than the HTTP status', () => {
    expect(judgeHttp(401, { status: 6014 }).msg).toBe('Login information has expired, please log in again')
  })

  it('keeps what is said about the fields', () => {
    const errors = [{ field: 'name', code: 'required', message: 'x' }]
    expect(judgeHttp(400, { status: 4000, msg: 'm', errors }).errors).toEqual(errors)
  })
})
