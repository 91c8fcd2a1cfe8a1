// TODO: documents
