import { expect, it } from 'vitest'
import { fileNameOf } from './file-name'

it.each([
  [`attachment; filename="a.xlsx"; filename*=UTF-8''%E6%93%8D%E4%BD%9C%E8%AE%B0%E5%BD%95.xlsx`, '操作记录.xlsx'],
  ['attachment; filename="a \\"b\\".csv"', 'a "b".csv'],
  ['attachment; filename=plain.zip', 'plain.zip'],
  ['attachment; filename="%E7%94%A8.xlsx"', '用.xlsx'],
  ['attachment; filename="100%.txt"', '100%.txt'],
  ['attachment', 'download'],
  [null, 'download'],
])('%s names %s', (disposition, name) => {
  expect(fileNameOf(disposition)).toBe(name)
})
