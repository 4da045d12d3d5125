import { describe, expect, it } from 'vitest'
import { flatten, nest } from './nested'

describe('nested bodies', () => {
  const body = {
    name: 'a',
    intranet: { startIp: '10.0.0.1', startPort: 5555 },
    ranges: [{ startSlot: 1 }, { startSlot: 2 }],
  }

  it('become fields named like the paths of errors', () => {
    expect(flatten(body)).toEqual({
      name: 'a',
      'intranet.startIp': '10.0.0.1',
      'intranet.startPort': 5555,
      'ranges[0].startSlot': 1,
      'ranges[1].startSlot': 2,
    })
  })

  it('come back as they were', () => {
    expect(nest(flatten(body))).toEqual(body)
  })

  it('leave out what is blank', () => {
    expect(nest({ name: 'a', remark: '', 'extranet.endIp': undefined })).toEqual({ name: 'a' })
  })
})
