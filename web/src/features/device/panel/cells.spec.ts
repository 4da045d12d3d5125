import { expect, it } from 'vitest'
import { hostsOfAddress, type PlaceNode } from './cells'

const nodes = [
  { kind: 'frame', id: 1 },
  { kind: 'host', id: 10, parentId: 1, place: '1', name: 'a', size: 4 },
  { kind: 'host', id: 11, parentId: 1, place: '2', name: 'b', size: 4 },
  { kind: 'host', id: 12, parentId: 2, place: '1', name: 'c', size: 4 },
] as unknown as PlaceNode[]

it('an address points at a host, at all hosts of a frame, or at none', () => {
  const hosts = (search: string) => [...hostsOfAddress(new URLSearchParams(search), nodes)]
  expect(hosts('room=1&host=12')).toEqual([12])
  expect(hosts('room=1&frame=1')).toEqual([10, 11])
  expect(hosts('room=1')).toEqual([])
})
