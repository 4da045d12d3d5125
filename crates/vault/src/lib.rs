//! Secrets of the deployment, sealed at rest.
