import { expect, test } from 'vitest'
import { changesOf } from './changes'

test('what differs comes first, and fields of either side are there', () => {
  const changes = changesOf({ id: 7, name: '旧', gone: 1 }, { id: 7, name: '新', list: [1] })
  expect(changes.map(({ field, differs }) => [field, differs])).toEqual([
    ['name', true],
    ['gone', true],
    ['list', true],
    ['id', false],
  ])
  expect(changes.find(({ field }) => field === 'list')).toMatchObject({ was: '', is: '[1]' })
})

test('an object that was made has no before', () => {
  expect(changesOf(null, { name: '新' })).toEqual([{ field: 'name', was: '', is: '新', differs: true }])
  expect(changesOf(undefined, null)).toEqual([])
})
