import { fileSender } from '@/kit/upload/sender'

/** Files that are installed on cards or pushed to them. */
export const cardFiles = fileSender('operationUpload')
