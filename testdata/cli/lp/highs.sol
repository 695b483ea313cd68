Model status
Optimal

# Primal solution values
Feasible
Objective 4608
# Columns 9
h 4608
o0_512 4
o1_512 0
o2_512 4.0000000001
o3_512 8e+00
o4_512 0
