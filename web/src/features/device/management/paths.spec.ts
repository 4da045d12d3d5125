import { expect, test } from 'vitest'
import { inside, partsOf } from './paths'

test('a name goes into a folder with one slash between them', () => {
  expect(inside('/sdcard', 'a.txt')).toBe('/sdcard/a.txt')
  expect(inside('/sdcard//', 'a.txt')).toBe('/sdcard/a.txt')
  expect(inside('/', 'sdcard')).toBe('/sdcard')
  expect(inside('/sdcard', '')).toBe('/sdcard/')
})

test('each folder on the way has its own path', () => {
  expect(partsOf('/')).toEqual([])
  expect(partsOf('//a/b c/')).toEqual([
    { name: 'a', path: '/a' },
    { name: 'b c', path: '/a/b c' },
  ])
})
