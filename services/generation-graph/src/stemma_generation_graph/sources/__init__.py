"""What a section is written from: the brief, the input documents, their images."""
