import { expect, it } from 'vitest'
import { fenBetween, fenOrText, yuanText } from './money'

it.each([
  ['0.01', 1],
  ['12', 1_200],
  ['1,234.5', 123_450],
  ['￥ 1，234.56', 123_456],
  // 1.15 * 100 is 114.99999999999999 in floats.
  ['1.15', 115],
  ['90071992547.09', 9_007_199_254_709],
  ['-3.2', -320],
  ['', undefined],
  ['1.234', '1.234'],
  ['1e3', '1e3'],
  ['一百', '一百'],
])('reads %j as %j', (typed, fen) => expect(fenOrText(typed)).toBe(fen))

it.each([
  [0, '0.00'],
  [5, '0.05'],
  [-5, '-0.05'],
  [123_456, '1234.56'],
])('writes %i fen as %s', (fen, text) => {
  expect(yuanText(fen)).toBe(text)
  expect(fenOrText(text)).toBe(fen)
})

it('says what is wrong with an amount', () => {
  const rule = fenBetween(1, 100)
  expect(rule(1)).toBeUndefined()
  expect(rule(100)).toBeUndefined()
  expect(rule(0)).toMatchObject({ code: 'number.range', params: { min: '0.01', max: '1.00' } })
  expect(rule(101)).toMatchObject({ code: 'number.range' })
  expect(rule('0.123')).toMatchObject({ code: 'number.decimals' })
  expect(rule('abc')).toMatchObject({ code: 'number.format' })
})
