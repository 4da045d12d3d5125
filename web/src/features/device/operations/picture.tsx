import { useCallback } from 'react'
import { fetchFile } from '@/api/call'
import { LatePicture } from '@/kit/image/late-picture'

/** The screen that a card gave to a task. */
export function CardPicture({ task, name }: { task: number; name: string }) {
  const load = useCallback(async () => (await fetchFile('operationTaskFile', { path: { id: task } }))?.blob, [task])
  return <LatePicture load={load} name={name} className="operation-picture" />
}
