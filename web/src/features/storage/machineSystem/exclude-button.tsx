import { ActionButtons } from '@/kit/action-buttons'
import { useActions } from '@/kit/use-actions'
import { useExclude } from './exclude'

/** Names a path that copies may leave out on an image, where it was found in their way. */
export default function ExcludeButton({ image, path }: { image: number; path: string }) {
  const exclude = useExclude()
  const runner = useActions()
  return (
    <>
      <ActionButtons acts={[exclude(image, path)]} runner={runner} size="small" />
      {runner.host}
    </>
  )
}
