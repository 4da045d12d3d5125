export type { UploadProps } from 'antd'
export { default as Upload } from 'antd/es/upload'
