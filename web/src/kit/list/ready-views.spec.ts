import { describe, expect, it } from 'vitest'
import { shownOf } from './ready-views'

const view = (label: string, filter: Record<string, number | boolean>) => ({ label, filter, count: undefined })
const views = [view('on', { useType: 1 }), view('off', { life: 2, useType: 2 }), view('soon', { expiresSoon: true })]

describe('the view that is shown', () => {
  it.each([
    ['', undefined],
    ['plan=2', undefined],
    ['useType=1', 'on'],
    ['plan=2&useType=1', 'on'],
    ['useType=2', undefined],
    ['life=2&useType=2&page=3', 'off'],
    ['useType=1&expiresSoon=true', 'soon'],
  ])('%j is %s', (text, label) => expect(shownOf(views, text)?.label).toBe(label))
})
