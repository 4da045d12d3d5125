import { useMemo } from 'react'
import { useCan } from '@/access/permissions'
import { useApiQuery } from '@/api/query'
import { type Choices, choicesOf } from '@/kit/choices'

/** As many places as a list to choose from can hold; a room has fewer frames, a frame fewer hosts. */
const most = 500

/** Places to choose from, and their names by id. Empty until they have arrived, and for who may not see them. */
export interface Places {
  choices: Choices<number>
  name: (id: number | null | undefined) => string
}

function usePlaces(rows: readonly { id: number; name: string }[] | undefined): Places {
  return useMemo(() => {
    const names = new Map((rows ?? []).map(({ id, name }) => [id, name]))
    return {
      choices: choicesOf([...names]),
      name: (id) => (id === null || id === undefined ? '—' : (names.get(id) ?? String(id))),
    }
  }, [rows])
}

/** The rooms. */
export function useRooms(): Places {
  const enabled = useCan()('room:list')
  const { data } = useApiQuery('roomList', { query: { pageNum: 1, pageSize: most } }, { enabled, staleTime: 60_000 })
  return usePlaces(data?.list)
}

/** The frames of a room. */
export function useFrames(room: number | undefined): Places {
  const enabled = useCan()('room:list') && room !== undefined
  const query = { pageNum: 1, pageSize: most, ...(room === undefined ? {} : { roomId: room }) }
  const { data } = useApiQuery('frameList', { query }, { enabled, staleTime: 60_000 })
  return usePlaces(enabled ? data?.list : undefined)
}

/** The hosts of a frame, or of a whole room. */
export function useHosts(place: { roomId?: number | undefined; frameId?: number | undefined }): Places {
  const enabled = useCan()('room:list') && (place.roomId ?? place.frameId) !== undefined
  const known = Object.fromEntries(Object.entries(place).filter(([, id]) => id !== undefined))
  const query = { pageNum: 1, pageSize: most, ...known }
  const { data } = useApiQuery('hostList', { query }, { enabled, staleTime: 60_000 })
  return usePlaces(enabled ? data?.list : undefined)
}
