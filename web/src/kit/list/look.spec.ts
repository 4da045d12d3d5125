import { expect, it } from 'vitest'
import { readLook, writeLook } from './look'

const read = (text: string) => readLook(new URLSearchParams(text))

it.each([
  ['cols=-a.b+serial&rows=compact', { columns: { hidden: ['a.b'], shown: ['serial'] }, density: 'compact' }],
  ['cols=*', { columns: { hidden: [], shown: [] } }],
  ['', {}],
  ['cols=&rows=huge', {}],
])('reads %s', (text, look) => expect(read(text)).toEqual(look))

it('writes what it reads, in one order, beside what others wrote', () => {
  const look = { columns: { hidden: ['z', 'b'], shown: ['a'] }, density: 'roomy' } as const
  expect(writeLook(look, new URLSearchParams('status=1')).toString()).toBe('status=1&cols=-b+-z+a&rows=roomy')
  expect(writeLook({}, new URLSearchParams('status=1&cols=-b&rows=roomy')).toString()).toBe('status=1')
})

it('says that the columns are the usual ones where it is asked to', () => {
  expect(writeLook({ columns: { hidden: [], shown: [] } }, new URLSearchParams()).toString()).toBe('cols=*')
})
