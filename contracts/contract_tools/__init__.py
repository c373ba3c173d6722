"""What is generated from the contracts: JSON Schemas, golden samples, the AsyncAPI document."""
