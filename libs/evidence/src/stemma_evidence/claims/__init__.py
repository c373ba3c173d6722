"""What a text claims: amounts, dates, quantities, names, quotations and citations."""
