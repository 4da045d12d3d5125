declare module 'virtual:screen-sources' {
  import type { OperationId } from '@/api/call'
  import type { ListSource } from '@/kit/list/question'

  /** What the build has read in the pages of the screens (`web/screen-sources.ts`), by the codes of these. */
  export const sources: Readonly<
    Record<
      string,
      { list?: ListSource; detail?: { operation: OperationId; load: () => Promise<{ default: unknown }> } }
    >
  >
}
