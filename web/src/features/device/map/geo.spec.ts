import { describe, expect, it } from 'vitest'
import { graticule, pathOf, project, sidesOf, viewOf, world, zoomed } from './geo'

describe('the plain map', () => {
  it('has the date line at both ends and the north pole on top', () => {
    expect(project(-180, 90)).toEqual([0, 0])
    expect(project(116.5, 40)).toEqual([296.5, 50])
  })

  it('draws areas closed and lines open', () => {
    const ring = [
      [0, 0],
      [10, 0],
      [10, 10],
    ]
    expect(pathOf({ type: 'Polygon', coordinates: [ring] })).toBe('M180.00,90.00L190.00,90.00L190.00,80.00Z')
    expect(pathOf({ type: 'LineString', coordinates: ring })).not.toContain('Z')
    expect(pathOf({ type: 'Point', coordinates: [1, 1] })).toBe('')
  })

  it('fits its view round the places, and is the world without any', () => {
    expect(viewOf([])).toBe(world)
    const view = viewOf([{ longitude: 120, latitude: 30 }])
    expect([view.x + view.width / 2, view.y + view.height / 2]).toEqual([300, 60])
  })

  it('keeps the point under the wheel where it is', () => {
    const at = { x: 300, y: 60 }
    const near = zoomed(world, 0.5, at)
    expect((at.x - near.x) / near.width).toBeCloseTo((at.x - world.x) / world.width)
    expect(zoomed(world, 4).width).toBe(world.width)
  })

  it('names places where nothing is covered, and leaves out what fits nowhere', () => {
    const mark = (x: number, y: number) => ({ x, y, width: 10 })
    expect(sidesOf([mark(0, 0)], 1)).toEqual(['above'])
    expect(sidesOf([mark(0, 0), mark(2, 0)], 1)).toEqual(['above', 'right'])
    expect(sidesOf([mark(0, 0), mark(0, 2.5)], 1)).toEqual(['above', 'right'])
    const crowd = Array.from({ length: 30 }, (_, at) => mark(at % 6, Math.floor(at / 6)))
    expect(sidesOf(crowd, 1).filter((side) => side === undefined).length).toBeGreaterThan(0)
  })

  it('has finer lines the nearer it is', () => {
    const count = (width: number) => graticule(width).split('M').length
    expect(count(4)).toBeGreaterThan(count(30))
    expect(count(30)).toBeGreaterThan(count(360))
  })
})
