import { describe, expect, it } from 'vitest'
import { defineChoices } from '../choices'
import { choiceParam, defineFilter, readState, textParam, timeParam, writeState } from './filter'

const status = defineChoices({ on: { value: 1, label: ['开', 'On'] }, off: { value: 2, label: ['关', 'Off'] } })
const filter = defineFilter({ keyWord: textParam(10), status: choiceParam(status), startTime: timeParam() }, ['name'])
const read = (text: string) => readState(filter, new URLSearchParams(text))

describe('the address of a list', () => {
  it('gives back the state that was written', () => {
    const address = 'keyWord=abc&status=2&startTime=2026-11-01T00%3A00%3A00Z&page=3&size=50&sort=-name'
    const state = read(address)
    expect(state).toEqual({
      filter: { keyWord: 'abc', status: 2, startTime: '2026-11-01T00:00:00.000Z' },
      page: 3,
      pageSize: 50,
      chosenSize: 50,
      sort: { key: 'name', order: 'desc' },
    })
    expect(writeState(filter, state, new URLSearchParams()).toString()).toBe(address)
  })

  it.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=x',
    'page=1e99',
    'size=0',
    'size=1.5',
    'size=99999',
    'sort=password',
    'sort=-',
    'status=9',
    'startTime=never',
  ])('falls back for %s', (bad) => expect(read(bad)).toEqual(read('')))

  it('cuts a text that is longer than the server takes', () => {
    expect(read('keyWord=12345678901234').filter.keyWord).toBe('1234567890')
  })

  it('keeps what others wrote, and leaves usual values out', () => {
    const others = new URLSearchParams('detail=7&status=2&page=4')
    expect(writeState(filter, read(''), others).toString()).toBe('detail=7')
  })

  it('uses the remembered page size only where the address names none', () => {
    expect(readState(filter, new URLSearchParams(), 100).pageSize).toBe(100)
    expect(readState(filter, new URLSearchParams('size=50'), 100).pageSize).toBe(50)
  })
})
