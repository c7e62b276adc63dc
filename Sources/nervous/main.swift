print("nervous")
